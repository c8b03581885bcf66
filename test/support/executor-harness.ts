// A real executor with real children, for tests: hands over tasks and waits for their ends.

import type {
  AttemptKey,
  ExecutorEvent,
  ExecutorOutcome,
  ExecutorProgram,
  ExecutorTask,
} from '../../src/worker/executor.ts';
import {
  createNodeExecutor,
  type NodeExecutor,
  type NodeExecutorOptions,
} from '../../src/worker/node/node-executor.ts';
import { builtCodeDir } from './warm-machine.ts';

/** The end of an attempt: its outcome, or that it was given back. */
export type End = ExecutorOutcome | { readonly type: 'returned'; readonly key: AttemptKey };

export class ExecutorHarness {
  readonly events: ExecutorEvent[] = [];
  /** What tasks printed while they ran. */
  readonly output = new Map<AttemptKey, string>();
  readonly executor: NodeExecutor;
  /** The processes in which attempts of each owner came to their end. */
  readonly pidsOf = new Map<string, Set<number>>();
  readonly #ends = new Map<AttemptKey, End>();
  readonly #owners = new Map<AttemptKey, string>();
  #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];
  #lastTask = 0;

  constructor(options: Partial<NodeExecutorOptions> = {}) {
    this.executor = createNodeExecutor({
      slots: 1,
      memoryLimitMb: 256,
      softKillMs: 100,
      codeDir: builtCodeDir,
      ...options,
      listener: (event) => {
        this.#hear(event);
      },
      onOutput: (_slot, key, text) => {
        this.output.set(key, (this.output.get(key) ?? '') + text);
        this.#wake();
      },
    });
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

  #hear(event: ExecutorEvent): void {
    this.events.push(event);
    if (event.type === 'finished') {
      for (const outcome of event.outcomes) {
        this.#noteProcess(outcome.key);
        this.#end(outcome);
      }
    } else if (event.type === 'returned') {
      for (const key of event.keys) this.#end({ type: 'returned', key });
    }
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ isMet }) => !isMet());
    for (const { isMet, resolve } of waiting) if (isMet()) resolve();
  }

  /** The slot reports on its child before it takes another one, so the process is still known here. */
  #noteProcess(key: AttemptKey): void {
    const owner = this.#owners.get(key)!;
    const pids = this.pidsOf.get(owner) ?? new Set();
    this.pidsOf.set(owner, pids);
    for (const pid of this.executor.childPids()) pids.add(pid);
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
