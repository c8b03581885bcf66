// The attempts of one slot on their way to the executor. An attempt whose input lies in a blob waits for
// it, and the attempts behind it wait too: a slot runs its attempts in order.

import type { AttemptKey, ExecutorProgram, ExecutorTask } from '../executor.ts';
import { blobReferenceOf } from '../../protocol/blob-reference.ts';

export interface SlotInputPorts {
  readonly fetchInput: (sha256: string) => Promise<string>;
  readonly forward: (program: ExecutorProgram, tasks: readonly ExecutorTask[]) => void;
  readonly fail: (key: AttemptKey, why: string) => void;
}

interface Waiting {
  readonly program: ExecutorProgram;
  task: ExecutorTask;
  isReady: boolean;
}

export class SlotInputs {
  readonly #ports: SlotInputPorts;
  #waiting: Waiting[] = [];

  constructor(ports: SlotInputPorts) {
    this.#ports = ports;
  }

  run(program: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    const isPlain = tasks.every(({ inputJson }) => blobReferenceOf(inputJson) === undefined);
    if (isPlain && this.#waiting.length === 0) return this.#ports.forward(program, tasks);
    for (const task of tasks) this.#append(program, task);
    this.#forwardReady();
  }

  /** Removes an attempt that waits here; false when it does not. */
  drop(key: AttemptKey): boolean {
    const kept = this.#waiting.filter(({ task }) => task.key !== key);
    if (kept.length === this.#waiting.length) return false;
    this.#waiting = kept;
    this.#forwardReady();
    return true;
  }

  close(): void {
    this.#waiting = [];
  }

  #append(program: ExecutorProgram, task: ExecutorTask): void {
    const sha256 = blobReferenceOf(task.inputJson);
    const waiting: Waiting = { program, task, isReady: sha256 === undefined };
    this.#waiting.push(waiting);
    if (sha256 === undefined) return;
    this.#ports.fetchInput(sha256).then(
      (inputJson) => {
        waiting.task = { ...task, inputJson };
        waiting.isReady = true;
        this.#forwardReady();
      },
      (error: unknown) => {
        if (this.drop(task.key)) this.#ports.fail(task.key, (error as Error).message);
      },
    );
  }

  /** Forwards attempts up to the first without its input; attempts of one program go together. */
  #forwardReady(): void {
    const end = this.#waiting.findIndex(({ isReady }) => !isReady);
    const ready = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
    for (let from = 0; from < ready.length; ) {
      const { program } = ready[from]!;
      let to = from + 1;
      while (ready[to]?.program === program) to += 1;
      this.#ports.forward(
        program,
        ready.slice(from, to).map(({ task }) => task),
      );
      from = to;
    }
  }
}
