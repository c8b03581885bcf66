// What a machine promises about rests, slots and reports that are kept, watched from outside.

import type { HeartbeatMessage, HelloMessage } from '../../../protocol/messages.ts';
import type { MachineOutput, RestOrder, WorkerMachine } from '../machine.ts';

export class WatchedPromises {
  rest: RestOrder | null = null;
  slots = 2;
  private readonly faults: string[];
  private readonly machine: WorkerMachine;
  private readonly kept = new Set<string>();
  /** As the coordinator has heard it last. */
  private heard: string | undefined;

  constructor(faults: string[], machine: WorkerMachine) {
    this.faults = faults;
    this.machine = machine;
  }

  observe(output: MachineOutput): void {
    if (output.type === 'run') {
      if (this.rest !== null) this.faults.push(`slot ${output.slot} begins something in a rest`);
      if (output.slot >= this.slots) this.faults.push(`slot ${output.slot} is not in use`);
    } else if (output.type === 'keep') {
      for (const { key } of output.reports) this.kept.add(key);
    } else if (output.type === 'let_go') {
      for (const key of output.keys) {
        if (!this.kept.delete(key)) this.faults.push(`${key} is let go and was not kept`);
      }
    } else if (output.type === 'send') {
      for (const message of output.messages) {
        const reports =
          message.type === 'result'
            ? message.results
            : message.type === 'failure'
              ? message.failures
              : [];
        for (const { task_id, attempt } of reports) {
          const key = `${task_id}#${attempt}`;
          if (!this.kept.has(key)) this.faults.push(`${key} is reported and not kept`);
        }
      }
    }
  }

  hearRest(message: HelloMessage | HeartbeatMessage): void {
    this.heard = message.rest?.because;
  }

  /** After every step. */
  checkRest(handed: readonly { key: string; toStop: boolean }[], isConnected: boolean): void {
    const { rest, faults } = this;
    const isReady = isConnected && this.machine.connectionState === 'ready';
    if (isReady && this.heard !== rest?.because) {
      faults.push(`rests because of ${rest?.because}, and has said ${this.heard}`);
    }
    if (rest === null) return;
    const { queue } = this.machine.workload;
    if (queue.size > 0) faults.push(`${queue.size} wait in a rest`);
    if (rest.keeps) return;
    for (const { key, toStop } of handed) {
      if (!toStop) faults.push(`${key} goes on in a rest`);
    }
  }

  checkNothingIsKept(): void {
    for (const key of this.kept) this.faults.push(`${key} is kept for ever`);
  }
}
