// A real executor with real children, for tests: hands over tasks and waits for their ends. Where the
// children live, in processes of this machine or in frames of a browser, is for those who extend it.

import type {
  AttemptKey,
  Executor,
  ExecutorEvent,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
} from '../../src/worker/executor.ts';

/** The end of an attempt: its outcome, or that it was given back. */
export type End = ExecutorOutcome | { readonly type: 'returned'; readonly key: AttemptKey };

export abstract class TaskHarness {
  abstract readonly executor: Executor;
  readonly events: ExecutorEvent[] = [];
  /** What tasks printed while they ran. */
  readonly output = new Map<AttemptKey, string>();
  /** The children in which attempts of each owner came to their end. */
  readonly childrenOf = new Map<string, Set<number>>();
  readonly #ends = new Map<AttemptKey, End>();
  readonly #owners = new Map<AttemptKey, string>();
  #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];
  #lastTask = 0;

  /** Those that live now, each by a number that no other child ever has at the same time. */
  abstract children(): readonly number[];

  /** Ends the child of the first slot from outside and at once, as an accident does. */
  abstract crash(): void | Promise<void>;

  close(): Promise<void> {
    return this.executor.close();
  }

  /** Runs one task and returns its end. */
  async run(
    source: string | ExecutorProgram,
    input: unknown = null,
    task: Partial<ExecutorTask> = {},
  ): Promise<End> {
    const program = typeof source === 'string' ? programOf(source) : source;
    const [end] = await this.ends(this.give(program, [input], task));
    return end!;
  }

  /** Hands over a task per input. */
  give(
    program: ExecutorProgram,
    inputs: readonly unknown[],
    task: Partial<ExecutorTask> = {},
  ): AttemptKey[] {
    const tasks = inputs.map((input): ExecutorTask => {
      const taskId = `${program.jobId}-${++this.#lastTask}`;
      const rest = { owner: 'somebody', index: this.#lastTask, attempt: 1, timeoutMs: null };
      const fresh = { ...rest, stateJson: null, progress: 0, inputJson: JSON.stringify(input) };
      return { key: `${taskId}#1`, taskId, ...fresh, ...task };
    });
    for (const { key, owner } of tasks) this.#owners.set(key, owner);
    this.executor.run(0, program, tasks);
    return tasks.map(({ key }) => key);
  }

  async ends(keys: readonly AttemptKey[]): Promise<End[]> {
    await this.until(() => keys.every((key) => this.#ends.has(key)));
    return keys.map((key) => this.#ends.get(key)!);
  }

  /** Resolves as soon as an event, or something printed, has made the condition true. */
  until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ isMet, resolve });
    });
  }

  untilStarted(key: AttemptKey): Promise<void> {
    return this.until(() => this.eventsOf('started', key).length > 0);
  }

  eventsOf<T extends ExecutorEvent['type']>(
    type: T,
    key: AttemptKey,
  ): Extract<ExecutorEvent, { type: T }>[] {
    return this.events.filter(
      (event): event is Extract<ExecutorEvent, { type: T }> =>
        event.type === type && 'key' in event && event.key === key,
    );
  }

  /** The saved states of an attempt in the order in which the executor reported them. */
  statesOf(key: AttemptKey): string[] {
    return this.eventsOf('checkpoint', key).map(({ state }) =>
      state.encoding === 'json' ? state.text : 'packed',
    );
  }

  protected hear(event: ExecutorEvent): void {
    this.events.push(event);
    if (event.type === 'finished') {
      for (const outcome of event.outcomes) {
        this.#noteChild(outcome.key);
        this.#end(outcome);
      }
    } else if (event.type === 'returned') {
      for (const key of event.keys) this.#end({ type: 'returned', key });
    }
    this.#wake();
  }

  protected hearOutput(key: AttemptKey, text: string): void {
    this.output.set(key, (this.output.get(key) ?? '') + text);
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ isMet }) => !isMet());
    for (const { isMet, resolve } of waiting) if (isMet()) resolve();
  }

  /** The slot reports on its child before it takes another one, so the child is still known here. */
  #noteChild(key: AttemptKey): void {
    const owner = this.#owners.get(key)!;
    const children = this.childrenOf.get(owner) ?? new Set();
    this.childrenOf.set(owner, children);
    for (const child of this.children()) children.add(child);
  }

  #end(end: End): void {
    if (this.#ends.has(end.key)) throw new Error(`${end.key} ended twice`);
    this.#ends.set(end.key, end);
  }
}

/** A program per source and interval: the same ones are the same job. */
export function programOf(
  source: string,
  checkpointIntervalMs: number | null = null,
): ExecutorProgram {
  const name = `${checkpointIntervalMs} ${source}`;
  let jobId = jobs.get(name);
  if (jobId === undefined) jobs.set(name, (jobId = `job${jobs.size + 1}`));
  return { jobId, kind: 'javascript', source, checkpointIntervalMs, keepOutput: 'always' };
}

const jobs = new Map<string, string>();

/** The value of a result, as parsed; anything else is returned as it is. */
export function valueOf(end: End): unknown {
  return end.type === 'result' ? (JSON.parse(end.valueJson) as unknown) : end;
}
