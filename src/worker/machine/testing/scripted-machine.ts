// A machine for tests: the test plays the coordinator and the executor and moves the virtual time,
// and the invariants are checked after every step.

import type {
  AssignMessage,
  Assignment,
  CoordinatorMessage,
  WelcomeMessage,
  WorkerMessage,
} from '../../../protocol/messages.ts';
import type { ExecutorEvent, ExecutorOutcome } from '../../executor.ts';
import { auditWorkload } from '../audit.ts';
import type { MachineInput, MachineOptions, MachineOutput, MachineTimer } from '../machine.ts';
import { WorkerMachine } from '../machine.ts';

export class ScriptedMachine {
  readonly machine: WorkerMachine;
  readonly timers = new Map<MachineTimer, number>();
  nowMs = 0;
  sequence = 0;

  constructor(options: Partial<MachineOptions> = {}) {
    this.machine = new WorkerMachine({
      device: { name: 'test', type: 'pc', platform: 'linux', kinds: ['javascript'] },
      slots: 1,
      identity: null,
      instance: 'first',
      random: () => 0.5,
      telemetry: () => ({ cpu_load_percent: 10 }),
      ...options,
    });
  }

  give(input: MachineInput): MachineOutput[] {
    const outputs = this.machine.step(input, this.nowMs);
    const faults = auditWorkload(this.machine.workload);
    if (faults.length > 0) throw new Error(`After ${input.type}: ${faults.join('; ')}`);
    for (const output of outputs) {
      if (output.type === 'set_timer') this.timers.set(output.timer, this.nowMs + output.afterMs);
      if (output.type === 'clear_timer') this.timers.delete(output.timer);
    }
    return outputs;
  }

  say(...messages: CoordinatorMessage[]): MachineOutput[] {
    return this.give({ type: 'frame', messages });
  }

  executor(event: ExecutorEvent): MachineOutput[] {
    return this.give({ type: 'executor', event });
  }

  finish(slot: number, ...outcomes: ExecutorOutcome[]): MachineOutput[] {
    return this.executor({ type: 'finished', slot, outcomes });
  }

  /** Moves the time to the deadline of the timer and fires it. */
  fire(timer: MachineTimer): MachineOutput[] {
    const dueMs = this.timers.get(timer);
    if (dueMs === undefined) throw new Error(`The timer ${timer} is not set.`);
    this.timers.delete(timer);
    this.nowMs = Math.max(this.nowMs, dueMs);
    return this.give({ type: 'timer', timer });
  }

  /** Through `hello` to `welcome`; returns what came after it. */
  connect(welcome: Partial<WelcomeMessage> = {}): MachineOutput[] {
    if (this.machine.connectionState === 'idle') this.give({ type: 'start' });
    else this.fire('reconnect');
    this.give({ type: 'socket_opened' });
    return this.welcome(welcome);
  }

  welcome(welcome: Partial<WelcomeMessage> = {}): MachineOutput[] {
    this.sequence = 0;
    return this.say({ ...plainWelcome, ...welcome });
  }

  assign(...assignments: Assignment[]): MachineOutput[] {
    return this.say(this.assignMessage(assignments));
  }

  assignMessage(assignments: readonly Assignment[]): AssignMessage {
    this.sequence += 1;
    const programs = Object.fromEntries(assignments.map(({ job_id }) => [job_id, program]));
    return { type: 'assign', sequence: this.sequence, programs, assignments };
  }
}

const plainWelcome = {
  type: 'welcome',
  protocol: 1,
  worker_id: 'w1',
  worker_token: 'secret',
  heartbeat_interval_seconds: 5,
  lease_seconds: 15,
  drain: false,
  stop: [],
} as const;

export const program = {
  program: { kind: 'javascript', source: 'export default (input) => input;' },
  attempt_timeout_seconds: null,
  checkpoint_interval_seconds: null,
} as const;

export function task(index: number, more: Partial<Assignment> = {}): Assignment {
  const task_id = `job-${index}`;
  return { task_id, attempt: 1, token: `t${index}`, job_id: 'job', index, input: index, ...more };
}

export function key(index: number, attempt = 1): string {
  return `job-${index}#${attempt}`;
}

export function result(index: number, runMs = 0.01, attempt = 1): ExecutorOutcome {
  return {
    type: 'result',
    key: key(index, attempt),
    valueJson: `${index}`,
    runMs,
    cpuSeconds: runMs / 1000,
  };
}

export function failure(index: number, errorType = 'TypeError'): ExecutorOutcome {
  return {
    type: 'failure',
    key: key(index),
    errorType,
    errorMessage: 'no',
    retryable: true,
    runMs: 1,
    cpuSeconds: 0,
  };
}

export function checkpoint(index: number, sequence: number, slot = 0): ExecutorEvent {
  const state = { encoding: 'json', text: `{"i":${sequence}}` } as const;
  const about = { slot, key: key(index), sequence, progress: sequence / 10, runMs: 10 * sequence };
  return { type: 'checkpoint', ...about, state };
}

/** The messages on the wire, those of all frames in order. */
export function sent(outputs: readonly MachineOutput[]): WorkerMessage[] {
  return outputs.flatMap((output) => (output.type === 'send' ? output.messages : []));
}

export function sentOf<T extends WorkerMessage['type']>(
  outputs: readonly MachineOutput[],
  type: T,
): Extract<WorkerMessage, { type: T }>[] {
  return sent(outputs).filter((message) => message.type === type) as never;
}

/** `slot: keys` of every hand-over. */
export function runs(outputs: readonly MachineOutput[]): string[] {
  return outputs.flatMap((output) =>
    output.type === 'run' ? [`${output.slot}: ${output.tasks.map((t) => t.key).join(' ')}`] : [],
  );
}

export function stops(outputs: readonly MachineOutput[]): string[] {
  return outputs.flatMap((output) =>
    output.type === 'stop' ? [`${output.slot}: ${output.key} ${output.reason}`] : [],
  );
}

export function outputsOf<T extends MachineOutput['type']>(
  outputs: readonly MachineOutput[],
  type: T,
): Extract<MachineOutput, { type: T }>[] {
  return outputs.filter((output) => output.type === type) as never;
}
