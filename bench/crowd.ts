// Many lightweight workers in this process, over WebSocket: they send heartbeats on time and
// complete each task with its input as the result. Nothing is computed, so only the coordinator is
// measured.

import { once } from 'node:events';
import { WebSocket } from 'ws';
import { decodeFrame } from '../src/protocol/codec.ts';
import type { Assignment, CoordinatorMessage, WorkerMessage } from '../src/protocol/messages.ts';

export interface CrowdOptions {
  readonly workers: number;
  readonly slots: number;
  /** How long a task takes; without it a task is completed at once. */
  readonly taskMs?: number;
}

export class Crowd {
  /** Results that the coordinator has acknowledged. */
  acknowledged = 0;
  /** Connections that the coordinator has ended, because it took their workers for lost. */
  closed = 0;
  readonly #workers: CrowdWorker[] = [];

  static async join(url: string, options: CrowdOptions): Promise<Crowd> {
    const crowd = new Crowd();
    for (let i = 1; i <= options.workers; i++) {
      crowd.#workers.push(await CrowdWorker.join(url, `crowd-${i}`, options, crowd));
    }
    return crowd;
  }

  leave(): void {
    for (const worker of this.#workers) worker.leave();
  }
}

class CrowdWorker {
  readonly #socket: WebSocket;
  readonly #crowd: Crowd;
  readonly #options: CrowdOptions;
  /** In the order in which they came; the first ones run. */
  readonly #held = new Map<string, Assignment>();
  #running = 0;
  #sequence = 0;
  #beats = 0;
  #beating: NodeJS.Timeout | undefined;
  #hasLeft = false;

  static async join(
    url: string,
    name: string,
    options: CrowdOptions,
    crowd: Crowd,
  ): Promise<CrowdWorker> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/workers/connect`);
    await once(socket, 'open');
    const worker = new CrowdWorker(socket, options, crowd);
    const device = { name, type: 'pc', platform: 'linux', slots: options.slots };
    worker.#say({ type: 'hello', protocol: 1, device, attempts: [] });
    return worker;
  }

  private constructor(socket: WebSocket, options: CrowdOptions, crowd: Crowd) {
    this.#socket = socket;
    this.#options = options;
    this.#crowd = crowd;
    socket.on('message', (data) => {
      const frame = decodeFrame((data as Buffer).toString());
      if (!frame.ok) throw new Error(frame.detail);
      for (const message of frame.messages) this.#hear(message as CoordinatorMessage);
    });
    socket.on('close', () => {
      clearInterval(this.#beating);
      if (!this.#hasLeft) crowd.closed++;
    });
  }

  leave(): void {
    this.#hasLeft = true;
    this.#socket.terminate();
  }

  #hear(message: CoordinatorMessage): void {
    switch (message.type) {
      case 'welcome': {
        const everyMs = message.heartbeat_interval_seconds * 1000;
        this.#beating = setInterval(() => this.#beat(), everyMs);
        return;
      }
      case 'assign':
        this.#sequence = message.sequence;
        return this.#take(message.assignments);
      case 'ack':
        this.#crowd.acknowledged += message.accepted.filter(({ kind }) => kind === 'result').length;
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
    for (const assignment of [...this.#held.values()].slice(this.#running)) {
      if (this.#running >= this.#options.slots) return;
      this.#running++;
      this.#say({ type: 'started', started: [refOf(assignment)] });
      setTimeout(() => this.#finish(assignment), this.#options.taskMs);
    }
  }

  #finish(assignment: Assignment): void {
    if (this.#hasLeft) return;
    this.#running--;
    this.#held.delete(assignment.token);
    this.#say({ type: 'result', results: [resultOf(assignment)] });
    this.#begin();
  }

  #beat(): void {
    this.#say({
      type: 'heartbeat',
      heartbeat_id: ++this.#beats,
      telemetry: {},
      assign_sequence: this.#sequence,
      running: Array.from(this.#held.values(), refOf),
    });
  }

  #say(message: WorkerMessage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}

function refOf({ task_id, attempt, token }: Assignment) {
  return { task_id, attempt, token };
}

function resultOf(assignment: Assignment) {
  return { ...refOf(assignment), value: assignment.input, run_ms: 1 };
}
