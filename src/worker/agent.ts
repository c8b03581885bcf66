// The agent on a device: it feeds the machine with inputs and performs its outputs. The agent
// decides nothing: all decisions are in `machine/`. Socket, executor and storage come from the
// platform (`node/`).

import type { CoordinatorMessage, WorkerMessage } from '../protocol/messages.ts';
import type { AttemptKey, Executor, ExecutorListener } from './executor.ts';
import type {
  KeptReport,
  LogLevel,
  MachineInput,
  MachineOutput,
  MachineTimer,
  RestOrder,
  WorkerIdentity,
  WorkerMachine,
} from './machine/machine.ts';
import { exitCodes } from './machine/machine.ts';
import { LogPace } from './log-pace.ts';

export interface AgentPlatform {
  createExecutor(listener: ExecutorListener): Executor;
  createMachine(executor: Executor): WorkerMachine;
  /**
   * `to`: to another coordinator than its own; only where its machine `mayGoTo` one. Must not call the listener before this function has returned. */
  openSocket(listener: SocketListener, to?: string): AgentSocket;
  /** Saving and forgetting may throw: the worker goes on without, and registers anew next time. */
  saveIdentity(identity: WorkerIdentity): void;
  forgetIdentity(): void;
  /** Only of a platform whose machine has `keepsReports`. They may throw. */
  keep?(reports: readonly KeptReport[]): void;
  letGo?(keys: readonly AttemptKey[]): void;
  /** Monotonic. */
  nowMs(): number;
  log(entry: WorkerLogEntry): void;
  /** Releases the state directory; called when everything has ended. */
  release(): void;
}

export interface AgentSocket {
  /** What is sent within one turn of the event loop leaves as one frame. */
  send(messages: readonly WorkerMessage[]): void;
  /** Sends what is left, then closes. The listener hears nothing more. */
  close(): Promise<void>;
}

export interface SocketListener {
  opened(): void;
  frame(messages: readonly CoordinatorMessage[]): void;
  /** A part of a frame was not understood and was skipped. */
  complaint(detail: string): void;
  refused(status: number, code: string | null, detail: string): void;
  closed(detail: string): void;
}

export interface WorkerLogEntry {
  readonly level: LogLevel;
  /** Stable, snake_case: `connected`, `unreachable`, … */
  readonly event: string;
  /** A sentence. */
  readonly detail: string;
}

export interface RunningWorker {
  /**
   * Lets running attempts finish, gives back the others, leaves. A second call gives up running
   * ones.
   */
  stop(): void;
  readonly done: Promise<WorkerEnd>;
}

export interface WorkerEnd {
  /** One of `exitCodes`. */
  readonly code: number;
  readonly reason: string;
}

interface Timer {
  readonly handle: ReturnType<typeof setTimeout>;
  readonly dueMs: number;
}

/** Complaints about frames that are logged per connection, at most. */
const complaintsMax = 10;

export class Agent implements RunningWorker {
  readonly done: Promise<WorkerEnd>;
  readonly #platform: AgentPlatform;
  readonly #executor: Executor;
  readonly #machine: WorkerMachine;
  readonly #logPace = new LogPace();
  readonly #timers = new Map<MachineTimer, Timer>();
  #socket: AgentSocket | null = null;
  #farewell: Promise<void> = Promise.resolve();
  #isEnding = false;
  #resolveDone: (end: WorkerEnd) => void = () => {};

  constructor(platform: AgentPlatform) {
    this.#platform = platform;
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    this.#executor = platform.createExecutor((event) => this.#feed({ type: 'executor', event }));
    this.#machine = platform.createMachine(this.#executor);
    this.#feed({ type: 'start' });
  }

  stop(): void {
    this.#feed({ type: 'leave' });
  }

  /** Null: the rest is over. */
  rest(rest: RestOrder | null): void {
    this.#feed({ type: 'rest', rest });
  }

  /** Tasks at a time; at least 1, at most what the executor has room for. */
  setSlots(slots: number): void {
    const most = this.#executor.slots;
    this.#feed({ type: 'slots', slots: Math.max(1, Math.min(most, Math.floor(slots) || 1)) });
  }

  /**
   * The device has slept, or there may be a network again: what is overdue by the clock happens now, as timers of a
   * device that sleeps stand still, and it connects without a pause.
   */
  wake(): void {
    const nowMs = this.#platform.nowMs();
    for (const [timer, { dueMs }] of this.#timers) {
      if (timer !== 'reconnect' && dueMs > nowMs) continue;
      this.#clearTimer(timer);
      this.#feed({ type: 'timer', timer });
    }
  }

  #feed(input: MachineInput): void {
    if (this.#isEnding) return;
    try {
      const outputs = this.#machine.step(input, this.#platform.nowMs());
      for (const output of outputs) this.#perform(output);
    } catch (error) {
      const { stack, message } = error as Error;
      this.#log('error', 'fault', stack ?? message);
      this.#end({ code: exitCodes.fault, reason: message });
    }
  }

  #perform(output: MachineOutput): void {
    switch (output.type) {
      case 'connect':
        return this.#connect(output.to);
      case 'disconnect':
        return this.#disconnect();
      case 'send':
        return this.#socket?.send(output.messages);
      case 'run':
        return this.#executor.run(output.slot, output.program, output.tasks);
      case 'stop':
        return this.#executor.stop(output.slot, output.key, output.reason);
      case 'checkpoint':
        return this.#executor.checkpoint(output.slot, output.key);
      case 'forget_program':
        return this.#executor.forget(output.jobId);
      case 'set_timer':
        return this.#setTimer(output.timer, output.afterMs);
      case 'clear_timer':
        return this.#clearTimer(output.timer);
      case 'save_identity':
        return this.#store('identity', () => this.#platform.saveIdentity(output));
      case 'forget_identity':
        return this.#store('identity', () => this.#platform.forgetIdentity());
      case 'keep':
        return this.#store('report', () => this.#platform.keep?.(output.reports));
      case 'let_go':
        return this.#store('report', () => this.#platform.letGo?.(output.keys));
      case 'log':
        return this.#log(output.level, output.event, output.detail);
      case 'exit':
        return this.#end({ code: output.code, reason: output.reason });
    }
  }

  #connect(to: string | undefined): void {
    let complaintsLeft = complaintsMax;
    this.#socket = this.#platform.openSocket(
      {
        opened: () => this.#feed({ type: 'socket_opened' }),
        frame: (messages) => this.#feed({ type: 'frame', messages }),
        complaint: (detail) => {
          if (complaintsLeft > 0) this.#log('warn', 'frame_ignored', detail);
          complaintsLeft -= 1;
        },
        refused: (status, code, detail) =>
          this.#feed({ type: 'socket_refused', status, code, detail }),
        closed: (detail) => this.#feed({ type: 'socket_closed', detail }),
      },
      to,
    );
  }

  #disconnect(): void {
    if (this.#socket !== null) this.#farewell = this.#socket.close();
    this.#socket = null;
  }

  #setTimer(timer: MachineTimer, afterMs: number): void {
    this.#clearTimer(timer);
    const fire = () => {
      this.#timers.delete(timer);
      this.#feed({ type: 'timer', timer });
    };
    const dueMs = this.#platform.nowMs() + afterMs;
    this.#timers.set(timer, { handle: setTimeout(fire, afterMs), dueMs });
  }

  #clearTimer(timer: MachineTimer): void {
    clearTimeout(this.#timers.get(timer)?.handle);
    this.#timers.delete(timer);
  }

  /** A full disk costs the worker its identity, or what would outlive it, not its work. */
  #store(what: 'identity' | 'report', keep: () => void): void {
    try {
      keep();
    } catch (error) {
      this.#log('error', `${what}_not_kept`, (error as Error).message);
    }
  }

  #log(level: LogLevel, event: string, detail: string): void {
    const platform = this.#platform;
    for (const line of this.#logPace.take(detail, platform.nowMs())) {
      platform.log({ level, event, detail: line });
    }
  }

  #end(end: WorkerEnd): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    for (const timer of this.#timers.keys()) this.#clearTimer(timer);
    this.#disconnect();
    void Promise.allSettled([this.#farewell, this.#executor.close()]).then(() => {
      this.#platform.release();
      this.#resolveDone(end);
    });
  }
}
