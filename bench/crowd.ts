// Many lightweight workers in this process, over WebSocket: they send heartbeats on time and
// complete each task with its input as the result, or end it as they are told to. Nothing is computed,
// so only the coordinator is measured.

import { once } from 'node:events';
import { WebSocket } from 'ws';
import { decodeFrame } from '../src/protocol/codec.ts';
import type {
  Assignment,
  CoordinatorMessage,
  DeviceDescription,
  Telemetry,
  WelcomeMessage,
  WorkerMessage,
} from '../src/protocol/messages.ts';

export interface CrowdOptions {
  readonly workers: number;
  readonly slots: number;
  /** How long a task takes; without it a task is completed at once. */
  readonly taskMs?: number | ((assignment: Assignment) => number);
  /** What differs from the others, by the place in the crowd. */
  readonly deviceOf?: (place: number) => Partial<DeviceDescription>;
  /** What it measures, asked for each heartbeat. */
  readonly telemetryOf?: (place: number) => Telemetry;
  /** Why it takes nothing for now; null: it works. */
  readonly restOf?: (place: number) => string | null;
  /** The message with which a task fails; null: it is completed. */
  readonly errorOf?: (assignment: Assignment, place: number) => string | null;
  /** Saves a state when half of the time of a task has passed. */
  readonly savesHalf?: (assignment: Assignment) => boolean;
}

export class Crowd {
  /** Results that the coordinator has acknowledged. */
  acknowledged = 0;
  /** Connections that the coordinator has ended, because it took their workers for lost. */
  closed = 0;
  /** How long the answers to heartbeats took, in ms; whoever reads them may empty it. */
  readonly heartbeatMs: number[] = [];
  readonly #workers: CrowdWorker[] = [];

  static async join(url: string, options: CrowdOptions): Promise<Crowd> {
    const crowd = new Crowd();
    for (let place = 1; place <= options.workers; place++) {
      const worker = new CrowdWorker(url, place, options, crowd);
      await worker.join();
      crowd.#workers.push(worker);
    }
    return crowd;
  }

  leave(): void {
    for (const worker of this.#workers) worker.leave();
  }

  /** One of them is cut off, and comes back after so long as the same worker, without its tasks. */
  async loseForMs(place: number, ms: number): Promise<void> {
    const worker = this.#workers[place - 1]!;
    worker.leave();
    await new Promise((resolve) => setTimeout(resolve, ms));
    await worker.join();
  }
}

class CrowdWorker {
  readonly #url: string;
  readonly #place: number;
  readonly #crowd: Crowd;
  readonly #options: CrowdOptions;
  /** In the order in which they came; the first ones run. */
  readonly #held = new Map<string, Assignment>();
  #socket: WebSocket | undefined;
  #slots = 1;
  #identity: Pick<WelcomeMessage, 'worker_id' | 'worker_token'> | undefined;
  #running = 0;
  #sequence = 0;
  #beats = 0;
  #beatAt = 0;
  #beating: NodeJS.Timeout | undefined;
  #hasLeft = false;

  constructor(url: string, place: number, options: CrowdOptions, crowd: Crowd) {
    this.#url = url;
    this.#place = place;
    this.#options = options;
    this.#crowd = crowd;
  }

  async join(): Promise<void> {
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/api/workers/connect`);
    await once(socket, 'open');
    this.#socket = socket;
    this.#hasLeft = false;
    socket.on('message', (data) => {
      const frame = decodeFrame((data as Buffer).toString());
      if (!frame.ok) throw new Error(frame.detail);
      for (const message of frame.messages) this.#hear(message as CoordinatorMessage);
    });
    socket.on('close', () => {
      clearInterval(this.#beating);
      if (!this.#hasLeft) this.#crowd.closed++;
    });
    const { slots, deviceOf } = this.#options;
    const plain = { name: `crowd-${this.#place}`, type: 'pc', platform: 'linux', slots };
    const device = { ...plain, ...deviceOf?.(this.#place) };
    this.#slots = device.slots;
    this.#say({ type: 'hello', protocol: 1, ...this.#identity, device, attempts: [] });
  }

  leave(): void {
    this.#hasLeft = true;
    this.#held.clear();
    this.#running = 0;
    this.#socket?.terminate();
  }

  #hear(message: CoordinatorMessage): void {
    switch (message.type) {
      case 'welcome': {
        const { worker_id, worker_token } = message;
        // The token is told once.
        if (worker_token !== undefined) this.#identity = { worker_id, worker_token };
        const everyMs = message.heartbeat_interval_seconds * 1000;
        this.#beating = setInterval(() => this.#beat(), everyMs);
        return;
      }
      case 'assign':
        this.#sequence = message.sequence;
        return this.#take(message.assignments);
      case 'ack':
        this.#crowd.acknowledged += message.accepted.filter(({ kind }) => kind === 'result').length;
        if (message.heartbeat?.heartbeat_id === this.#beats) {
          this.#crowd.heartbeatMs.push(performance.now() - this.#beatAt);
        }
        return;
      case 'recall':
        // All attempts may have begun, so none is released.
        return;
      default:
        return;
    }
  }

  #take(assignments: readonly Assignment[]): void {
    if (this.#options.taskMs === undefined) {
      this.#say({ type: 'result', results: assignments.map(resultOf) });
      return;
    }
    for (const assignment of assignments) this.#held.set(assignment.token, assignment);
    this.#begin();
  }

  #begin(): void {
    const { taskMs = 0, savesHalf } = this.#options;
    for (const assignment of [...this.#held.values()].slice(this.#running)) {
      if (this.#running >= this.#slots) return;
      this.#running++;
      this.#say({ type: 'started', started: [refOf(assignment)] });
      const ms = typeof taskMs === 'number' ? taskMs : taskMs(assignment);
      if (savesHalf?.(assignment) === true) setTimeout(() => this.#save(assignment), ms / 2);
      setTimeout(() => this.#finish(assignment, ms), ms);
    }
  }

  #save(assignment: Assignment): void {
    if (!this.#held.has(assignment.token)) return;
    const saved = { sequence: 1, progress: 0.5, state: { half: true } };
    this.#say({ type: 'checkpoint', checkpoints: [{ ...refOf(assignment), ...saved }] });
  }

  #finish(assignment: Assignment, ms: number): void {
    // Whoever was cut off meanwhile has forgotten it.
    if (!this.#held.delete(assignment.token)) return;
    this.#running--;
    const error = this.#options.errorOf?.(assignment, this.#place) ?? null;
    if (error === null) {
      this.#say({ type: 'result', results: [{ ...resultOf(assignment), run_ms: ms }] });
    } else {
      const told = { error_type: 'RangeError', error_message: error, run_ms: ms };
      this.#say({ type: 'failure', failures: [{ ...refOf(assignment), ...told }] });
    }
    this.#begin();
  }

  #beat(): void {
    const { telemetryOf, restOf } = this.#options;
    const rest = restOf?.(this.#place) ?? null;
    this.#beatAt = performance.now();
    this.#say({
      type: 'heartbeat',
      heartbeat_id: ++this.#beats,
      telemetry: telemetryOf?.(this.#place) ?? {},
      assign_sequence: this.#sequence,
      running: Array.from(this.#held.values(), refOf),
      ...(rest === null ? {} : { rest: { because: rest } }),
    });
  }

  #say(message: WorkerMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

function refOf({ task_id, attempt, token }: Assignment) {
  return { task_id, attempt, token };
}

function resultOf(assignment: Assignment) {
  return { ...refOf(assignment), value: assignment.input, run_ms: 1 };
}
