// `serve --record`: what the coordinator does is written as a trace, beside its work. Whatever goes wrong with that is
// a line in the log.

import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { RunningCoordinator } from '../../coordinator/index.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { traceVersion } from '../../lab/trace/trace-format.ts';
import { TraceRecorder } from '../../lab/trace/trace-recorder.ts';
import { createTraceFile, TraceWriter } from '../../lab/trace/trace-writer.ts';
import { CommandFailure } from '../command-failure.ts';

const megabyte = 1_000_000;

export interface RecordingOptions {
  /** As it was given. */
  readonly file: string;
  readonly folder: string;
  readonly mostMb: number;
  readonly version: string;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Of the machine, in milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Of a coordinator: what there is already when a recording begins. */
export type Recorded = Pick<RunningCoordinator, 'state'>;

export class Recording {
  readonly #path: string;
  readonly #writer: TraceWriter;
  readonly #recorder: TraceRecorder;
  readonly #now: () => number;

  /** Makes the file; what happens is recorded from then on. Throws `CommandFailure` when there is one already. */
  static async begin(coordinator: Recorded, options: RecordingOptions): Promise<Recording> {
    const { file, folder } = options;
    const path = resolve(folder, file);
    const opened = await createTraceFile(path).catch((error: NodeJS.ErrnoException) => {
      throw new CommandFailure('usage', whyNot(file, error), [], error);
    });
    const { mostMb, log } = options;
    const writer = new TraceWriter(opened, {
      mostBytes: mostMb * megabyte,
      onEnd: (why) => {
        if (why === 'full')
          log.warn(
            `The recording in ${file} has ended: it has ${mostMb} MB (--record-mb). ${goesOn}`,
          );
        else
          log.error(
            `The recording in ${file} has ended: it cannot be written (${why.message}). ${goesOn}`,
          );
      },
    });
    return new Recording(path, writer, coordinator, options);
  }

  private constructor(
    path: string,
    writer: TraceWriter,
    { state }: Recorded,
    { version, now = Date.now }: RecordingOptions,
  ) {
    this.#path = path;
    this.#writer = writer;
    this.#now = now;
    this.#recorder = new TraceRecorder((record, atMs) => writer.write(record, atMs));
    const at = now();
    const { settings, config, workers, jobs } = state;
    writer.head({
      type: 'trace',
      version: traceVersion,
      muster: version,
      began_at: new Date(at).toISOString(),
      heartbeat_seconds: settings.heartbeatIntervalMs / 1000,
      lease_seconds: settings.leaseMs / 1000,
    });
    this.#recorder.begin({ at, config, workers: workers.values(), jobs: jobs.values() });
  }

  /** After the commit. */
  hear(events: readonly ToldEvent[]): void {
    this.#recorder.hear(events);
  }

  /** What happens from now on is not recorded. Resolves when the file is closed. */
  end(): Promise<void> {
    return this.#writer.end(this.#recorder.timeOf(this.#now()));
  }

  /** The coordinator has not started: the file would only be in the way of its next start. */
  async discard(): Promise<void> {
    await this.end();
    await rm(this.#path, { force: true });
  }
}

const goesOn = 'The coordinator goes on.';

function whyNot(file: string, { code, message }: NodeJS.ErrnoException): string {
  if (file === '') return 'The name of the file for --record (MUSTER_RECORD) is empty.';
  if (code === 'EEXIST') {
    return `"${file}" exists already, and a recording overwrites nothing: name another file with --record.`;
  }
  const why = code === 'ENOENT' ? 'its folder does not exist' : message;
  return `"${file}" cannot be written for --record: ${why}.`;
}
