// Plays the sandbox of a worker: doubles numbers, at once or when the test says so.

import type { Executor, ExecutorListener, ExecutorTask } from '../../src/worker/executor.ts';

export class DoublingExecutor implements Executor {
  slots = 1;
  readonly isolation = 'none';
  readonly hasBegun: Promise<void>;
  isClosed = false;
  private listener: ExecutorListener = () => {};
  private begin: () => void = () => {};
  private held: (() => void)[] | null;

  constructor(isPrompt = true) {
    this.held = isPrompt ? null : [];
    this.hasBegun = new Promise((resolve) => {
      this.begin = resolve;
    });
  }

  open(slots: number, listener: ExecutorListener): this {
    this.slots = slots;
    this.listener = listener;
    return this;
  }

  run(slot: number, _program: unknown, tasks: readonly ExecutorTask[]): void {
    this.begin();
    const finish = () => {
      const outcomes = tasks.map(({ key, inputJson }) => ({
        type: 'result' as const,
        key,
        valueJson: String(Number(inputJson) * 2),
        runMs: 50,
        cpuSeconds: 0,
      }));
      if (!this.isClosed) this.listener({ type: 'finished', slot, outcomes });
    };
    if (this.held === null) setTimeout(finish, 5);
    else this.held.push(finish);
  }

  /** Slots that have something to do, and are not to do it yet. */
  get heldSlots(): number {
    return this.held?.length ?? 0;
  }

  sayStarted(key: string): void {
    this.listener({ type: 'started', slot: 0, key });
  }

  proceed(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const finish of held) finish();
  }

  stop(): void {}

  checkpoint(): void {}

  forget(): void {}

  async close(): Promise<void> {
    this.isClosed = true;
  }
}
