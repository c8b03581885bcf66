// A task as a driver would hand it to a guest, for tests: it notes what the guest tells, and has switches for what the
// guest asks.

import type {
  GuestKind,
  GuestProgram,
  GuestStep,
  GuestTask,
  GuestValue,
} from '../../sandbox/guest.ts';

export class HandTask implements GuestTask {
  readonly taskId: string = 'job-1-0';
  readonly jobId: string = 'job-1';
  readonly index: number = 0;
  readonly attempt: number = 1;
  readonly input: GuestValue;
  readonly stateJson: string | null;
  readonly resultLimitBytes: number;
  readonly stateLimitBytes: number;
  /** What the guest has told. */
  readonly offers: string[] = [];
  readonly reports: (readonly [share: number, message: string | null])[] = [];
  printed = '';
  /** At the so-manyth time it is asked, it says that the attempt shall stop. */
  stopsAt = Infinity;
  isDue: boolean;
  #asked = 0;

  constructor(input: unknown, options: HandTaskOptions = {}) {
    this.input = input instanceof Uint8Array ? { bytes: input } : { json: JSON.stringify(input) };
    this.stateJson = options.stateJson ?? null;
    this.taskId = options.taskId ?? 'job-1-0';
    this.resultLimitBytes = options.resultLimitBytes ?? 2 * 1024 * 1024;
    this.stateLimitBytes = options.stateLimitBytes ?? 8 * 1024 * 1024;
    this.isDue = options.isDue ?? false;
    this.stopsAt = options.stopsAt ?? Infinity;
  }

  readonly isStopped = () => ++this.#asked > this.stopsAt;
  /** A last one is wanted of an attempt that shall stop. */
  readonly isCheckpointDue = () => this.isDue || this.#asked > this.stopsAt;
  readonly offer = (stateJson: string) => {
    this.offers.push(stateJson);
  };
  readonly report = (share: number, message: string | null) => {
    this.reports.push([share, message]);
  };
  readonly print = (text: string) => {
    this.printed += text;
  };
}

export interface HandTaskOptions {
  readonly taskId?: string;
  readonly stateJson?: string;
  readonly resultLimitBytes?: number;
  readonly stateLimitBytes?: number;
  readonly isDue?: boolean;
  readonly stopsAt?: number;
}

export interface LoadOptions {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly blobs?: Readonly<Record<string, Uint8Array>>;
  readonly shared?: GuestValue;
  readonly memoryMb?: number;
}

/** Loads a module as the program of a job. */
export function loadModule(
  kind: GuestKind,
  module: Uint8Array,
  { fields = {}, blobs = {}, shared, memoryMb = 64 }: LoadOptions = {},
): Promise<GuestProgram> {
  // Not the hash, but as good as one here.
  const name = `module-${module.length}-${module.reduce((sum, byte) => (sum * 31 + byte) | 0, 7)}`;
  const known: Readonly<Record<string, Uint8Array>> = { ...blobs, [name]: module };
  return kind.load({
    jobId: 'job-1',
    programJson: JSON.stringify({ kind: 'wasm', module: { $blob: name }, ...fields }),
    bytesOf: (sha256) => {
      const bytes = known[sha256];
      if (bytes === undefined) throw new Error(`no blob ${sha256}`);
      return bytes;
    },
    shared: shared ?? null,
    memoryMb,
  });
}

/** Runs a task to its end; `onMore` is called between its slices. */
export function runToEnd(program: GuestProgram, task: GuestTask, onMore = () => {}): GuestStep {
  const run = program.begin(task);
  for (;;) {
    const step = run.step(5);
    if (step.type !== 'more') return step;
    onMore();
  }
}
