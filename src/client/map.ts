// `map`: runs a function over many inputs, on other devices. One object stands for the job: awaited, it
// gives all results in order; iterated, each result when it comes. Every reader has a stream of its own,
// so that a slow one delays no other and no results pile up for it.

import type { Program } from '../protocol/program.ts';
import type { JobSummary, TaskResult } from '../protocol/resources.ts';
import { remoteStack } from './debugging.ts';
import { JobCancelledError, MusterError, TaskError } from './errors.ts';
import { eventPlace } from './events.ts';
import { IndexSet } from '../protocol/index-set.ts';
import { assertInputs, type InputRange, type Inputs } from './input-source.ts';
import type { FollowedJob } from './followed-job.ts';
import { jobHead, jobPath } from './job-head.ts';
import type { Payload } from './json-type.ts';
import { ForeignProgram } from './programs.ts';
import { assertOptions, type MapOptions, type MapProgress } from './map-options.ts';
import { patiently, pause } from './patience.ts';
import { type PrintedText, printedTexts } from './printed.ts';
import { type Endpoint, requestJson } from './request.ts';
import { resultLines, type ResultsOptions } from './results.ts';
import type { ResultLine } from './result-line.ts';
import { STREAM_PATIENCE_MS } from './stream-times.ts';
import {
  type StreamedJob,
  type StreamOptions,
  submit,
  submitAndFollow,
  submitStream,
  submitStreamAndFollow,
} from './submit.ts';
import {
  type ProgramSource,
  programSource,
  type SentAlong,
  type TaskFunction,
} from './task-function.ts';

export interface MapResult<Output> {
  readonly index: number;
  readonly value: Output;
}

export type MapOutcome<Output> =
  | { readonly status: 'completed'; readonly index: number; readonly value: Output }
  | { readonly status: 'failed'; readonly index: number; readonly error: TaskError }
  | { readonly status: 'cancelled'; readonly index: number; readonly error: JobCancelledError };

/** Anything that can be iterated, but a string, and whose elements are JSON, or bytes. */
export type MapInputs<Input> =
  | (Iterable<Input & NoInfer<Payload<Input>>> & object)
  | AsyncIterable<Input & NoInfer<Payload<Input>>>;

export type MapProgram<Input, Output, With = SentAlong> =
  | (TaskFunction<Input, Output, With> & ReturnsJson<Output>)
  | ForeignProgram<Input, Output>
  | ProgramSource
  | string;

/** A function without a result has the result null. */
type ResultOf<Output> = Output extends void ? Output : Payload<Output>;
type ReturnsJson<Output> = (
  ...parameters: never[]
) => NoInfer<
  ResultOf<Output> | Promise<ResultOf<Output>> | Generator<unknown, ResultOf<Output>, unknown>
>;

/** Awaited it gives an `Each` for every input, in their order; iterated, each `Item` when it comes. */
export interface MapJob<Each, Item> extends PromiseLike<Each[]>, AsyncIterable<Item> {
  /** The id of the job; rejects when no job comes into being. */
  readonly jobId: Promise<string>;
  readonly progress: MapProgress;
  /**
   * Cancels the job; resolves once it is cancelled or has ended. Leaving a loop early does not
   * cancel.
   */
  cancel(): Promise<void>;
  catch<Other>(onRejected: (reason: unknown) => Other): Promise<Each[] | Awaited<Other>>;
  finally(onSettled: () => void): Promise<Each[]>;
}

export interface MapCall {
  readonly inputs: Inputs | InputRange;
  readonly program: TaskFunction<never, unknown, never> | ForeignProgram | ProgramSource | string;
  readonly options: MapOptions;
}

const STOP_PATIENCE_MS = 30_000;
const WATCH_MS = 2_000;
const LAST_WORDS_MS = 1_000;

export class MapRun implements MapJob<unknown, unknown> {
  readonly #endpoint: Endpoint;
  readonly #call: MapCall;
  readonly #patienceMs: number;
  readonly #job: Promise<{ readonly id: string; readonly task_count: number }>;
  /** Somebody wants the results: the submission brings them along. */
  #isRead = false;
  #followed: FollowedJob | undefined;
  /** Ends the reading of inputs. */
  readonly #halt = new AbortController();
  /** Ends the reading of results. */
  readonly #end = new AbortController();
  readonly #completed = new IndexSet();
  /** How other tasks have ended; a retry may replace that. */
  readonly #endings = new Map<number, 'failed' | 'cancelled'>();
  readonly #counts = { completed: 0, failed: 0, cancelled: 0 };
  #source = '';
  #total: number | null = null;
  /** What the coordinator said last, with the tasks that run. */
  #reported = 0;
  #readers = 0;
  #watching: ReturnType<typeof setInterval> | undefined;
  #printing: Promise<void> | undefined;
  #all: Promise<unknown[]> | undefined;
  #cancelling: Promise<void> | undefined;

  constructor(endpoint: Endpoint, call: MapCall) {
    this.#endpoint = endpoint;
    this.#call = call;
    this.#patienceMs = call.options.patienceMs ?? STREAM_PATIENCE_MS;
    this.#followSignal(call.options.signal);
    this.#job = this.#submit();
    // A reader of this object gets the error; without a reader it must not be an unhandled rejection.
    this.#job.catch(() => {});
  }

  get jobId(): Promise<string> {
    const id = this.#job.then((job) => {
      if (job.task_count > 0) return job.id;
      throw new Error('There are no inputs, hence no job.');
    });
    id.catch(() => {});
    return id;
  }

  get progress(): MapProgress {
    const { completed, failed, cancelled } = this.#counts;
    const total = this.#total;
    const ended = total === null ? 0 : total === 0 ? 1 : (completed + failed) / total;
    const fraction = Math.max(ended, this.#reported);
    return { total, completed, failed, cancelled, fraction };
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is to be awaited
  then<Value = unknown[], Other = never>(
    onFulfilled?: ((all: unknown[]) => Value | PromiseLike<Value>) | null,
    onRejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Value | Other> {
    this.#all ??= this.#collect();
    return this.#all.then(onFulfilled, onRejected);
  }

  catch<Other>(onRejected: (reason: unknown) => Other): Promise<unknown[] | Awaited<Other>> {
    return this.then(undefined, onRejected) as Promise<unknown[] | Awaited<Other>>;
  }

  finally(onSettled: () => void): Promise<unknown[]> {
    return this.then(undefined, undefined).finally(onSettled);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, void> {
    this.#isRead = true;
    const collects = this.#call.options.failures === 'collect';
    const { id } = await this.#untilEnd(this.#job);
    const cancelled = new IndexSet();
    for await (const outcome of this.#outcomes(id)) {
      if (collects) yield outcome;
      else if (outcome.status === 'completed') {
        cancelled.delete(outcome.index);
        yield { index: outcome.index, value: outcome.value };
      } else if (outcome.status === 'failed') throw await this.#located(outcome.error);
      else cancelled.add(outcome.index); // The failure that caused it may still come.
    }
    if (cancelled.size > 0) throw new JobCancelledError(id);
  }

  cancel(): Promise<void> {
    this.#cancelling ??= this.#cancel();
    return this.#cancelling;
  }

  async #submit(): Promise<{ readonly id: string; readonly task_count: number }> {
    const { inputs, program, options } = this.#call;
    const { with: along, failures, ...others } = options;
    const { signal: _signal, onProgress: _onProgress, references: _references, ...more } = others;
    const { patienceMs, onInterruption, onOutput, ...rest } = more;
    assertOptions(rest);
    if (!isRange(inputs)) assertInputs(inputs);
    const made = await this.#programOf(program, along);
    this.#halt.signal.throwIfAborted();
    if (isEmpty(inputs)) return this.#begun({ id: '', task_count: 0 });
    const onTaskFailure = failures === 'collect' ? 'continue' : 'fail_job';
    const job: StreamedJob = {
      on_task_failure: onTaskFailure,
      ...(onOutput === undefined ? {} : { live_output: true }),
      ...rest,
      program: made,
    };
    const how = {
      halt: this.#halt.signal,
      ...(patienceMs === undefined ? {} : { patienceMs }),
      ...(onInterruption === undefined ? {} : { onInterruption }),
    };
    // Before the job is there: what its first task prints is not missed.
    const place = onOutput === undefined ? '' : await eventPlace(this.#endpoint, how.halt);
    const submitted = await this.#send(job, inputs, how);
    if (onOutput !== undefined) {
      this.#printing = this.#print(submitted.id, place, onOutput);
      this.#printing.catch(() => {}); // What `onOutput` throws is for a reader.
    }
    return this.#begun(submitted);
  }

  async #programOf(program: MapCall['program'], along: SentAlong | undefined): Promise<Program> {
    if (program instanceof ForeignProgram) {
      if (along === undefined) return program.upload(this.#endpoint, this.#halt.signal);
      throw new TypeError('`with` goes with functions: give `shared`, which every task gets.');
    }
    this.#source = await programSource(program, along);
    return { kind: 'javascript', source: this.#source };
  }

  /** Where nobody reads, nothing is begun that would wait for a reader. */
  async #send(
    job: StreamedJob,
    inputs: Inputs | InputRange,
    how: StreamOptions,
  ): Promise<JobSummary> {
    if (!this.#isRead) {
      return isRange(inputs)
        ? submit(this.#endpoint, { ...job, inputs }, how)
        : submitStream(this.#endpoint, job, inputs, how);
    }
    const followed = isRange(inputs)
      ? await submitAndFollow(this.#endpoint, { ...job, inputs }, how)
      : await submitStreamAndFollow(this.#endpoint, job, inputs, how);
    this.#followed = followed;
    const { signal } = this.#end;
    if (signal.aborted) followed.leave();
    else signal.addEventListener('abort', () => followed.leave(), { once: true });
    return followed.job;
  }

  #begun<Job extends { readonly task_count: number }>(job: Job): Job {
    this.#total = job.task_count;
    this.#call.options.onProgress?.(this.progress);
    return job;
  }

  /** Nobody learns here that the coordinator is silent: who reads the results does. */
  async #print(id: string, lastEventId: string, onOutput: (printed: PrintedText) => void) {
    const how = { lastEventId, patienceMs: this.#patienceMs, signal: this.#end.signal };
    const texts = printedTexts(this.#endpoint, id, how)[Symbol.asyncIterator]();
    for (;;) {
      const next = await texts.next().catch(() => ({ done: true as const }));
      if (next.done === true) return;
      onOutput(next.value);
    }
  }

  async #collect(): Promise<unknown[]> {
    this.#isRead = true;
    const collects = this.#call.options.failures === 'collect';
    const { task_count: total } = await this.#untilEnd(this.#job);
    const all: unknown[] = Array.from({ length: total });
    for await (const item of this) {
      const { index, value } = item as { readonly index: number; readonly value?: unknown };
      all[index] = collects ? item : value;
    }
    return all;
  }

  async *#outcomes(id: string): AsyncGenerator<MapOutcome<unknown>, void, void> {
    if (this.#total === 0) return;
    const { references = false, onInterruption } = this.#call.options;
    const how = {
      follow: true,
      references,
      patienceMs: this.#patienceMs,
      signal: this.#end.signal,
      ...(onInterruption === undefined ? {} : { onInterruption }),
    };
    if (this.#readers++ === 0) this.#watching = this.#watch(id);
    try {
      for await (const { result } of this.#lines(id, how)) {
        if (this.#count(result)) this.#call.options.onProgress?.(this.progress);
        yield outcomeOf(id, result);
      }
      // What was printed last comes by another stream than the results.
      if (this.#printing !== undefined)
        await Promise.race([this.#printing, pause(LAST_WORDS_MS, undefined)]);
    } finally {
      if (--this.#readers === 0) clearInterval(this.#watching);
    }
  }

  /** The first reader goes on where the answer to the submission stands. */
  #lines(id: string, how: ResultsOptions): AsyncGenerator<ResultLine, void, void> {
    const followed = this.#followed;
    this.#followed = undefined;
    return followed?.lines(how) ?? resultLines(this.#endpoint, id, how);
  }

  /** Asks now and then how far the running tasks are, if somebody wants to know. */
  #watch(id: string): ReturnType<typeof setInterval> | undefined {
    const { onProgress } = this.#call.options;
    if (onProgress === undefined) return undefined;
    let isAsking = false;
    const ask = async () => {
      if (isAsking) return;
      isAsking = true;
      const asked = jobHead(this.#endpoint, id, this.#end.signal);
      const { progress } = await asked.finally(() => {
        isAsking = false;
      });
      const before = this.progress.fraction;
      this.#reported = progress;
      if (this.progress.fraction !== before) onProgress(this.progress);
    };
    // A call without an answer tells nothing: who reads the results learns what is the matter.
    return setInterval(() => void ask().catch(() => {}), WATCH_MS);
  }

  /** The error with the place where it was thrown. */
  async #located(error: TaskError): Promise<TaskError> {
    const { jobId, taskId, index, type, reason } = error;
    const stack = await remoteStack(this.#endpoint, jobId, index, this.#source);
    return new TaskError({ jobId, taskId, index, type, reason, remoteStack: stack });
  }

  /** False when the result was counted before: several readers may get it. */
  #count({ index, status }: TaskResult): boolean {
    const before = this.#endings.get(index);
    if (this.#completed.has(index) || before === status) return false;
    if (status === 'completed') {
      this.#completed.add(index);
      this.#endings.delete(index);
    } else this.#endings.set(index, status);
    if (before !== undefined) this.#counts[before]--;
    this.#counts[status]++;
    if (status === 'cancelled') this.#reported = 0; // What ran of it is gone.
    return true;
  }

  async #cancel(): Promise<void> {
    this.#halt.abort(new JobCancelledError(null));
    // When there is no job, there is nothing to cancel.
    const job = await this.#job.catch(() => null);
    if (job === null || job.task_count === 0) return;
    try {
      await patiently({ patienceMs: STOP_PATIENCE_MS }, () =>
        requestJson(this.#endpoint, `${jobPath(job.id)}/cancel`, { method: 'POST' }),
      );
    } catch (error) {
      if (isOver(error)) return;
      throw error;
    }
    if (this.#call.options.failures !== 'collect') this.#end.abort(new JobCancelledError(job.id));
  }

  #followSignal(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const abort = () => {
      this.#end.abort(signal.reason);
      this.#halt.abort(signal.reason);
      // Readers get the reason at once. If the cancellation fails, nobody waits for that error.
      this.cancel().catch(() => {});
    };
    if (signal.aborted) {
      this.#end.abort(signal.reason);
      this.#halt.abort(signal.reason);
    } else signal.addEventListener('abort', abort, { once: true });
  }

  #untilEnd<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.#end;
    return new Promise((resolve, reject) => {
      const end = () => reject(signal.reason as Error);
      if (signal.aborted) return end();
      signal.addEventListener('abort', end, { once: true });
      void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
    });
  }
}

function isRange(inputs: Inputs | InputRange): inputs is InputRange {
  const isObject = typeof inputs === 'object' && inputs !== null;
  const isList = isObject && (Symbol.iterator in inputs || Symbol.asyncIterator in inputs);
  return isObject && 'range' in inputs && !isList;
}

/** Whether there are no inputs, as far as that is known without reading them. */
function isEmpty(inputs: Inputs | InputRange): boolean {
  if (isRange(inputs)) return inputs.range.count === 0;
  if (inputs instanceof Set || inputs instanceof Map) return inputs.size === 0;
  return (Array.isArray(inputs) || ArrayBuffer.isView(inputs)) && 'length' in inputs
    ? inputs.length === 0
    : false;
}

function outcomeOf(jobId: string, result: TaskResult): MapOutcome<unknown> {
  const { index, status } = result;
  if (status === 'completed') return { status, index, value: result.value };
  if (status === 'cancelled') return { status, index, error: new JobCancelledError(jobId) };
  const { type, message: reason } = result.error;
  const error = new TaskError({ jobId, taskId: result.task_id, index, type, reason });
  return { status, index, error };
}

/** The job is final, or no longer exists. */
function isOver(error: unknown): boolean {
  if (!(error instanceof MusterError)) return false;
  return error.code === 'job_is_final' || error.code === 'unknown_job';
}
