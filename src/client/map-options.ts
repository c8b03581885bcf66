// The options of `map`: its own, and every field of a job. A field that nobody knows is told with the name that
// was meant, most likely; without such a name the coordinator decides, which may be newer than this SDK.

import { closest } from '../protocol/closest-name.ts';
import type { ConnectionError, MusterError } from './errors.ts';
import type { PrintedText } from './printed.ts';
import type { StreamedJob } from './submit.ts';
import type { SentAlong } from './task-function.ts';

/** These options and every field of a job: `name`, `priority`, `max_attempts`, `requirements` … */
export interface MapOptions<With extends SentAlong = SentAlong>
  extends Omit<StreamedJob, 'program'> {
  /**
   * Values that are sent with the function, plain data or functions: it finds them in its third argument, and
   * by these names where no minifier has renamed what it refers to.
   */
  readonly with?: With;
  /** Cancels the job. */
  readonly signal?: AbortSignal;
  /**
   * Called once when the job exists, whenever a result has been read, and every two seconds in which
   * running tasks have come farther.
   */
  readonly onProgress?: (progress: MapProgress) => void;
  /** Called with what tasks print while they run. Too much is left out, and counted. */
  readonly onOutput?: (printed: PrintedText) => void;
  /**
   * `reject` (default): the first task that fails for good rejects with a `TaskError`, and the other
   * tasks of the job are cancelled unless `on_task_failure` says otherwise. `collect`: failures are
   * results, too.
   */
  readonly failures?: 'reject' | 'collect';
  /** Large results as references, `{ $blob }`, instead of their values. */
  readonly references?: boolean;
  /** How long to keep asking while the coordinator cannot be reached. */
  readonly patienceMs?: number;
  /** Called when a request has failed and will be repeated. */
  readonly onInterruption?: (error: ConnectionError | MusterError) => void;
}

/** Counts of the results that have been read so far, and how far the job is. */
export interface MapProgress {
  /** Null until the job exists. */
  readonly total: number | null;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /**
   * 0 to 1: completed and failed tasks; with `onProgress` also the shares that running ones report. What
   * was cancelled does not count.
   */
  readonly fraction: number;
}

type JobField = Exclude<keyof StreamedJob, 'program'>;

const JOB_FIELDS: Readonly<Record<JobField, true>> = {
  shared: true,
  name: true,
  client_id: true,
  priority: true,
  max_attempts: true,
  max_lost_attempts: true,
  retry_delay_seconds: true,
  attempt_timeout_seconds: true,
  progress_timeout_seconds: true,
  on_task_failure: true,
  memory_mb: true,
  keep_output: true,
  live_output: true,
  late_results: true,
  requirements: true,
  checkpoint: true,
  speculation: true,
  retain_seconds: true,
  hold: true,
  notify: true,
};

const OWN: Readonly<Record<Exclude<keyof MapOptions, JobField>, true>> = {
  with: true,
  signal: true,
  onProgress: true,
  onOutput: true,
  failures: true,
  references: true,
  patienceMs: true,
  onInterruption: true,
};

/** Throws a `TypeError` about a field that is called otherwise. */
export function assertOptions(fields: object): void {
  const names = [...Object.keys(JOB_FIELDS), ...Object.keys(OWN)];
  for (const field of Object.keys(fields)) {
    const name = names.includes(field) ? undefined : closest(field, names);
    if (name !== undefined) {
      throw new TypeError(`There is no option "${field}". Did you mean "${name}"?`);
    }
  }
}
