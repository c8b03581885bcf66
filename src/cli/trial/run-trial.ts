// Runs tasks of one program on this machine, one after the other, in the sandbox of a worker: the same
// child process, the same walls, the same limits. No coordinator takes part.

import { v7 } from 'uuid';
import { defaultLimits } from '../../protocol/limits.ts';
import { withoutMap } from '../../protocol/program.ts';
import type { ExecutorEvent, ExecutorOutcome, ExecutorTask } from '../../worker/executor.ts';
import { largestBlobBytes } from '../../worker/payloads/blob-client.ts';
import type { IsolationUse } from '../../worker/node/confinement.ts';
import { createNodeExecutor, type NodeExecutor } from '../../worker/node/node-executor.ts';

/** Nearly every state that a task offers is shown; a bound for those that offer a million. */
const CHECKPOINT_EVERY_MS = 1;
const OUTPUT_MESSAGES_PER_SECOND = 100_000;
const LOOK_EVERY_MS = 50;
/** The names of tasks, on which their random numbers depend: a trial can be repeated. */
const NAME = 'try';

export interface TrialTask {
  readonly index: number;
  readonly inputJson: string;
  /** State to resume from. */
  readonly stateJson: string | null;
}

export interface TrialOptions {
  readonly isolation: IsolationUse;
  readonly timeoutMs: number | null;
  readonly memoryMb: number;
}

export type TrialNews =
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'progress'; readonly progress: number; readonly message: string | null }
  | { readonly type: 'checkpoint'; readonly progress: number; readonly stateJson: string }
  | { readonly type: 'unsaved'; readonly why: string };

export interface TrialEnd {
  readonly outcome: Exclude<ExecutorOutcome, { readonly type: 'stopped' }>;
  /** The most memory that was seen, beyond that of an idle child. */
  readonly memoryMb: number;
}

export class Trial {
  readonly #executor: NodeExecutor;
  readonly #source: string;
  readonly #timeoutMs: number | null;
  /** Its time is the clock of the program, as that of a job is. */
  readonly #jobId = v7();
  #hear: (event: ExecutorEvent) => void = () => {};
  #tell: (news: TrialNews) => void = () => {};

  /** Throws an `IsolationError` when the walls that were asked for are not there. */
  constructor(source: string, { isolation, timeoutMs, memoryMb }: TrialOptions) {
    this.#source = withoutMap(source);
    this.#timeoutMs = timeoutMs;
    this.#executor = createNodeExecutor({
      slots: 1,
      isolation,
      memoryLimitMb: memoryMb,
      resultLimitBytes: largestBlobBytes,
      stateLimitBytes: defaultLimits.checkpointBytes,
      outputMessagesPerSecond: OUTPUT_MESSAGES_PER_SECOND,
      listener: (event) => this.#hear(event),
      onOutput: (_slot, _key, text) => this.#tell({ type: 'output', text }),
      onUnsaved: (_key, why) => this.#tell({ type: 'unsaved', why }),
    });
  }

  async run(task: TrialTask, onNews: (news: TrialNews) => void): Promise<TrialEnd> {
    let memoryMb = 0;
    const measure = () => {
      memoryMb = Math.max(memoryMb, this.#executor.grownMb(0) ?? 0);
    };
    // A trial that is interrupted never ends; its process does.
    const looking = setInterval(measure, LOOK_EVERY_MS).unref();
    this.#tell = onNews;
    try {
      const outcome = await this.#outcomeOf(task);
      measure();
      return { outcome, memoryMb };
    } finally {
      clearInterval(looking);
    }
  }

  close(): Promise<void> {
    return this.#executor.close();
  }

  #outcomeOf(task: TrialTask): Promise<TrialEnd['outcome']> {
    return new Promise((resolve) => {
      this.#hear = (event) => {
        if (event.type === 'progress') this.#tell(event);
        else if (event.type === 'checkpoint' && event.state.encoding === 'json') {
          const { progress, state } = event;
          this.#tell({ type: 'checkpoint', progress, stateJson: state.text });
        } else if (event.type === 'finished') {
          const [outcome] = event.outcomes;
          if (outcome !== undefined && outcome.type !== 'stopped') resolve(outcome);
        } else if (event.type === 'returned') this.#begin(task);
      };
      this.#begin(task);
    });
  }

  #begin({ index, inputJson, stateJson }: TrialTask): void {
    const taskId = `${NAME}.${index}`;
    const about = { key: `${taskId}#1`, owner: NAME, taskId, index, attempt: 1 };
    const handed: ExecutorTask = {
      ...about,
      inputJson,
      stateJson,
      progress: 0,
      timeoutMs: this.#timeoutMs,
    };
    const program = {
      jobId: this.#jobId,
      kind: 'javascript',
      source: this.#source,
      checkpointIntervalMs: CHECKPOINT_EVERY_MS,
      keepOutput: 'always',
    } as const;
    this.#executor.run(0, program, [handed]);
  }
}
