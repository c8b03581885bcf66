// What the tasks of a job print, while they run. Only jobs that were submitted with `live_output` tell it, and
// it may have gaps: too much is left out, and counted.

import { events, type EventsOptions, eventPlace } from './events.ts';
import { jobHead } from './job-head.ts';
import type { Endpoint } from './request.ts';

export interface PrintedText {
  readonly index: number;
  readonly attempt: number;
  /** Printed since the last one of this attempt; mostly whole lines. */
  readonly text: string;
  /** Characters before it that are not told. */
  readonly leftOut: number;
}

export type PrintedOptions = Pick<
  EventsOptions,
  'lastEventId' | 'signal' | 'patienceMs' | 'onInterruption'
>;

/** Ends with the job. */
export async function* printedTexts(
  endpoint: Endpoint,
  jobId: string,
  options: PrintedOptions = {},
): AsyncGenerator<PrintedText, void, void> {
  const types = ['output', 'job_finished', 'job_deleted'] as const;
  const lastEventId = options.lastEventId ?? (await eventPlace(endpoint, options.signal));
  // It may have ended before the stream begins.
  const isOver = async () => (await jobHead(endpoint, jobId, options.signal)).completed_at !== null;
  if (options.lastEventId === undefined && (await isOver())) return;
  for await (const event of events(endpoint, { ...options, lastEventId, jobId, types })) {
    if (event.type === 'output') {
      const { index, attempt, text, left_out: leftOut } = event;
      yield { index, attempt, text, leftOut };
    } else if (event.type !== 'reset' || (await isOver())) return;
  }
}
