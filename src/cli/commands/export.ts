// `muster export`: every attempt that is over, a row each, to be worked with elsewhere.

import { type Command, Option } from 'commander';
import type { ExportedAttempt, ExportFilter } from '../../client/index.ts';
import type { ExportFormat } from '../../protocol/exported-attempts.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { outputTarget, writeText } from '../output-file.ts';
import { interruption } from '../process/interruption.ts';
import { oneOf } from '../settings/flag-values.ts';
import { pastMoment } from '../settings/moment.ts';
import { settingOption } from '../settings/settings.ts';
import { plainText } from '../text/foreign-text.ts';
import type { Terminal } from '../text/terminal.ts';
import { counted } from '../text/wording.ts';

const FORMATS: readonly ExportFormat[] = ['csv', 'ndjson'];
const PIECE_CHARACTERS = 64 * 1024;
const REDRAW_MS = 100;

interface Flags extends ClientFlags {
  readonly job?: string;
  readonly since?: number;
  readonly until?: number;
  readonly format?: ExportFormat;
  readonly out?: string;
}

export function declareExport(program: Command, context: Context): void {
  program
    .command('export')
    .description('every attempt that is over, a row each: who ran what, when, how it ended')
    .option('--job <job>', `only of this job: ${JOB_HANDLE}`)
    .option('--since <time>', 'only what ended then or later: like 2h, 7d or 2026-01-31', (text) =>
      pastMoment(text),
    )
    .option('--until <time>', 'only what was assigned before then', (text) => pastMoment(text))
    .addOption(
      new Option(
        '--format <format>',
        'csv, or ndjson: a line of JSON each; by the ending of the file, otherwise csv',
      ).argParser(oneOf('a format', FORMATS)),
    )
    .option('--out <file>', 'write them to a file, which appears when all is written')
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .action((flags: Flags) => exportAttempts(flags, context));
}

async function exportAttempts(flags: Flags, { terminal, folder }: Context): Promise<void> {
  const { out, format = formatOf(out) } = flags;
  // Before anything is asked for.
  if (out !== undefined) await outputTarget(out, folder);
  const client = await openClient(flags);
  // A file is taken away again; what goes to stdout ends as any program does.
  const signal = out === undefined ? undefined : interruption();
  const filter = await filterOf(flags, (handle) =>
    withJob(client, handle, async (jobId) => (await client.jobHead(jobId)).id),
  );
  const progress = new Progress(terminal, out !== undefined || !terminal.isWatched);
  const rows = progress.count(
    client.evaluation.exportAttempts({ ...filter, ...(signal === undefined ? {} : { signal }) }),
  );
  const pieces = await textPieces(rows, format, out === undefined && terminal.isWatched);
  try {
    if (out === undefined) for await (const piece of pieces) await terminal.data(piece);
    else await writeText(out, folder, pieces);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    throw new CommandFailure('interrupted', `"${out}" was not written.`);
  } finally {
    progress.clear();
  }
  if (out !== undefined) terminal.note(`${counted(progress.rows, 'attempt')} written to ${out}`);
}

function formatOf(out: string | undefined): ExportFormat {
  return out !== undefined && /\.(ndjson|jsonl)$/i.test(out) ? 'ndjson' : 'csv';
}

async function filterOf(
  { job, since, until }: Flags,
  jobIdOf: (handle: string) => Promise<string>,
): Promise<ExportFilter> {
  return {
    ...(job === undefined ? {} : { jobId: await jobIdOf(job) }),
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(until === undefined ? {} : { until: new Date(until) }),
  };
}

/** What the coordinator would send in this format; made here, since the rows are counted. */
async function textPieces(
  rows: AsyncIterable<ExportedAttempt>,
  format: ExportFormat,
  isWatched: boolean,
) {
  const { exportedCsvHeader, exportedCsvLine } = await import(
    '../../protocol/exported-attempts.ts'
  );
  const head = format === 'csv' ? exportedCsvHeader() : '';
  const line = format === 'csv' ? exportedCsvLine : (row: ExportedAttempt) => jsonLine(row);
  if (!isWatched) return gathered(head, rows, line);
  // A name with a line break would begin a row of its own.
  return gathered(shownLine(head), rows, (row) => shownLine(line(row)));
}

function shownLine(line: string): string {
  return line === '' ? '' : `${plainText(line.replace(/\r?\n$/, ''))}\n`;
}

function jsonLine(row: ExportedAttempt): string {
  return `${JSON.stringify(row)}\n`;
}

async function* gathered(
  head: string,
  rows: AsyncIterable<ExportedAttempt>,
  line: (row: ExportedAttempt) => string,
): AsyncGenerator<string, void, void> {
  let piece = head;
  for await (const row of rows) {
    piece += line(row);
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** How many rows have come, at the bottom of a terminal on which they are not shown themselves. */
class Progress {
  rows = 0;
  readonly #terminal: Terminal;
  readonly #isShown: boolean;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(terminal: Terminal, isShown: boolean) {
    this.#terminal = terminal;
    this.#isShown = isShown && terminal.isInteractive;
  }

  async *count<R>(rows: AsyncIterable<R>): AsyncGenerator<R, void, void> {
    for await (const row of rows) {
      this.rows++;
      this.#draw();
      yield row;
    }
  }

  clear(): void {
    if (this.#isShown) this.#terminal.status('');
  }

  #draw(): void {
    if (!this.#isShown) return;
    const atMs = performance.now();
    if (atMs - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = atMs;
    this.#terminal.status(`${counted(this.rows, 'attempt')} so far`);
  }
}
