// The attempts of one slot on their way to the executor. An attempt whose input lies in a blob waits for
// it, and for the blobs that its program needs; the attempts behind it wait too: a slot runs its attempts in order.

import type { AttemptKey, ExecutorProgram, ExecutorTask } from '../executor.ts';
import { payloadReferenceOf } from '../../protocol/blob-reference.ts';

export interface SlotInputPorts {
  readonly fetchInput: (sha256: string) => Promise<string>;
  readonly fetchBytes: (sha256: string) => Promise<Uint8Array>;
  /** The program with all that it needs, which may be on its way. */
  readonly outfit: (
    program: ExecutorProgram,
    tasks: readonly ExecutorTask[],
  ) => ExecutorProgram | Promise<ExecutorProgram>;
  readonly forward: (program: ExecutorProgram, tasks: readonly ExecutorTask[]) => void;
  readonly fail: (key: AttemptKey, what: 'input' | 'program', error: Error) => void;
}

interface Waiting {
  program: ExecutorProgram;
  task: ExecutorTask;
  /** How many things are on their way to it. */
  lacks: number;
}

export class SlotInputs {
  readonly #ports: SlotInputPorts;
  #waiting: Waiting[] = [];

  constructor(ports: SlotInputPorts) {
    this.#ports = ports;
  }

  run(given: ExecutorProgram, tasks: readonly ExecutorTask[]): void {
    const program = this.#ports.outfit(given, tasks);
    const isComing = program instanceof Promise;
    const isPlain =
      !isComing && tasks.every(({ inputJson }) => payloadReferenceOf(inputJson) === undefined);
    if (isPlain && this.#waiting.length === 0) return this.#ports.forward(program, tasks);
    for (const task of tasks) {
      if (isComing) this.#await(this.#append(given, task), program);
      else this.#append(program, task);
    }
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

  #append(program: ExecutorProgram, task: ExecutorTask): Waiting {
    const waiting: Waiting = { program, task, lacks: 0 };
    this.#waiting.push(waiting);
    const reference = payloadReferenceOf(task.inputJson);
    if (reference !== undefined) {
      const { sha256, isBytes } = reference;
      const input = isBytes
        ? this.#ports.fetchBytes(sha256).then((inputBytes) => ({ inputJson: 'null', inputBytes }))
        : this.#ports.fetchInput(sha256).then((inputJson) => ({ inputJson }));
      this.#lack(waiting, 'input', input, (found) => {
        waiting.task = { ...task, ...found };
      });
    }
    return waiting;
  }

  #await(waiting: Waiting, coming: Promise<ExecutorProgram>): void {
    this.#lack(waiting, 'program', coming, (program) => {
      waiting.program = program;
    });
  }

  #lack<T>(
    waiting: Waiting,
    what: 'input' | 'program',
    coming: Promise<T>,
    take: (found: T) => void,
  ): void {
    waiting.lacks += 1;
    coming.then(
      (found) => {
        take(found);
        waiting.lacks -= 1;
        this.#forwardReady();
      },
      (error: unknown) => {
        const { key } = waiting.task;
        if (this.drop(key)) this.#ports.fail(key, what, error as Error);
      },
    );
  }

  /** Forwards attempts up to the first that lacks something; attempts of one program go together. */
  #forwardReady(): void {
    const end = this.#waiting.findIndex(({ lacks }) => lacks > 0);
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
