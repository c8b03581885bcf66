// How jobs come in. Small ones are written by the commit that shows them; large ones are staged in
// chunks that nobody sees, so that no transaction and no turn of the event loop gets long.

import type { JobSpec } from '../core/records.ts';
import type { State } from '../core/state.ts';
import type { JobSummary } from '../protocol/resources.ts';
import type { JobPayload } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Result, StreamedSubmission, Submission, SubmissionInputs } from './port.ts';
import type { Runtime } from './runtime.ts';
import { jobSummary } from './views.ts';
import { jobRow } from './write-batch.ts';
import type { WriterLoop } from './writer-loop.ts';

/** Inputs per staged transaction, and the most that ride in the commit of their job. */
const chunkInputs = 1000;
const chunkBytes = 2 * 1024 * 1024;

export interface SubmissionOptions {
  readonly state: State;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly loop: WriterLoop;
  readonly nextJobKey: () => number;
  /** Something waits to be swept. */
  readonly onDropped: () => void;
}

export class Submissions {
  private readonly options: SubmissionOptions;

  constructor(options: SubmissionOptions) {
    this.options = options;
  }

  async submit(submission: Submission, inputs: SubmissionInputs): Promise<Result<JobSummary>> {
    if (inputs.type === 'list' && !isSmall(inputs.inputs)) {
      const stream = this.stream(submission);
      try {
        await stream.append(inputs.inputs);
      } catch (fault) {
        await stream.abort();
        throw fault;
      }
      return stream.finish();
    }
    const taskCount = inputs.type === 'range' ? inputs.count : inputs.inputs.length;
    const rangeStart = inputs.type === 'range' ? inputs.start : null;
    const texts = inputs.type === 'range' ? [] : inputs.inputs;
    return this.commit(submission, this.options.nextJobKey(), taskCount, rangeStart, texts);
  }

  stream(submission: Submission): StreamedSubmission {
    const { store } = this.options;
    const jobKey = this.options.nextJobKey();
    let count = 0;
    return {
      get count() {
        return count;
      },
      append: async (inputs) => {
        for (const chunk of chunked(inputs)) {
          await store.stageInputs(jobKey, count, chunk);
          count += chunk.length;
          await this.turn();
        }
      },
      finish: () => this.commit(submission, jobKey, count, null, []),
      abort: async () => {
        await store.dropStaged(jobKey);
        this.options.onDropped();
      },
    };
  }

  private commit(
    submission: Submission,
    key: number,
    taskCount: number,
    rangeStart: number | null,
    inputs: readonly string[],
  ): Promise<Result<JobSummary>> {
    const { loop, runtime, state } = this.options;
    const id = runtime.newId();
    return new Promise((resolve, reject) => {
      loop.submit({
        size: 1,
        abandon: reject,
        run: (batch) => {
          const spec = specOf(submission, {
            id,
            key,
            generation: state.generation,
            taskCount,
            rangeStart,
            createdAt: batch.at,
          });
          const payload: JobPayload = {
            jobKey: key,
            programJson: JSON.stringify(submission.program),
            inputs,
          };
          batch.addPayload(payload);
          batch.execute({ type: 'submit_job', spec, at: batch.at });
          const job = state.jobs.get(id)!;
          batch.afterCommit(() => resolve({ ok: true, value: jobSummary(jobRow(job)) }));
        },
      });
    });
  }

  /** Lets everything else have its turn between two chunks. */
  private turn(): Promise<void> {
    return new Promise((resolve) => this.options.runtime.defer(resolve));
  }
}

function specOf(
  submission: Submission,
  made: Pick<JobSpec, 'id' | 'key' | 'generation' | 'taskCount' | 'rangeStart' | 'createdAt'>,
): JobSpec {
  const { program, ...rest } = submission;
  return { ...rest, programKind: program.kind, ...made };
}

function isSmall(inputs: readonly string[]): boolean {
  if (inputs.length > chunkInputs) return false;
  let bytes = 0;
  for (const input of inputs) bytes += input.length;
  return bytes <= chunkBytes;
}

function* chunked(inputs: readonly string[]): Generator<readonly string[]> {
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < inputs.length; i++) {
    bytes += inputs[i]!.length;
    if (i + 1 - start < chunkInputs && bytes < chunkBytes) continue;
    yield inputs.slice(start, i + 1);
    start = i + 1;
    bytes = 0;
  }
  if (start < inputs.length) yield inputs.slice(start);
}
