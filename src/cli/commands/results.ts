// `muster results JOB`: prints the results of the tasks, one JSON object a line.

import type { Command } from 'commander';
import type { MusterClient, ResultLine, TaskResult } from '../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { followJob, tellEnd } from '../follow.ts';
import { interruption } from '../process/interruption.ts';
import { runThenOf, thenFlag } from '../process/run-then.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { formNote, outputTarget, writeResults } from '../output-file.ts';
import { settingOption } from '../settings/settings.ts';
import { placeOfError } from '../stack-frames.ts';
import { failedResults, withFailedInputs } from '../task-pages.ts';
import { messageLines } from '../text/error-text.ts';
import type { Terminal } from '../text/terminal.ts';
import { counted } from '../text/wording.ts';

/** Of more, one would read the first ones only. */
const PLACES_SHOWN = 3;

type FailedResult = Exclude<TaskResult, { readonly status: 'completed' }>;

interface Flags extends ClientFlags {
  readonly follow?: boolean;
  readonly out?: string;
  readonly references?: boolean;
  readonly failed?: boolean;
  readonly output?: boolean;
  readonly then?: string;
}

export function declareResults(program: Command, context: Context): void {
  program
    .command('results')
    .description(
      'print the results of a job: {index, task_id, status, value | error} a line; failed ones with input',
    )
    .argument('<job>', JOB_HANDLE)
    .option('--follow', 'stay until the job has ended; results in order of completion')
    .option(
      '--out <file>',
      'write them to a file, in index order: lines, or by its ending a .json array or a .csv table',
    )
    .option('--failed', 'only those of tasks that have failed')
    .option('--references', 'large values as {"$blob": "<sha256>"}, instead of the values')
    .option('--output', 'with --follow, what tasks print, if the job was submitted with --output')
    .option(...thenFlag)
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .option('--json', 'print one JSON array instead of lines')
    .action((handle: string, flags: Flags) => showResults(handle, flags, context));
}

async function showResults(handle: string, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  if (flags.out !== undefined) await checkOut(flags.out, context);
  const client = await openClient(flags);
  const job = await withJob(client, handle, (jobId) => client.jobHead(jobId));
  const { id } = job;
  const isShown = flags.out === undefined;
  const references = flags.references === true;
  if (flags.follow || flags.then !== undefined) {
    const printer = new ResultPrinter(terminal, flags.json === true);
    const print = async (text: string, { status }: TaskResult) => {
      const isWanted = flags.failed !== true || status === 'failed';
      if (isShown && isWanted) await printer.print(text);
    };
    const how = { references: references || !isShown, ...(flags.output ? { output: {} } : {}) };
    const signal = interruption();
    const end = await followJob(client, job, terminal, signal, print, how);
    if (isShown) await printer.end();
    if (end.type === 'final' && !isShown) await saveResults(client, id, flags, context, signal);
    await runThenOf(flags, end, context);
    return context.exit(tellEnd(end, id, terminal, flags.out));
  }
  if (!isShown) return saveResults(client, id, flags, context, interruption());
  const printer = new ResultPrinter(terminal, flags.json === true);
  const failed: FailedResult[] = [];
  let failures = 0;
  for await (const { text, result } of linesOf(client, id, flags)) {
    await printer.print(text);
    if (result.status !== 'failed') continue;
    if (++failures <= PLACES_SHOWN) failed.push(result);
  }
  await printer.end();
  if (!flags.json) await tellPlaces(client, id, failed, failures, terminal);
  if (flags.failed === true && printer.count === 0) terminal.note('no task has failed');
  else if (job.completed_at === null && flags.failed !== true) {
    terminal.note(`${printer.count} of ${counted(job.task_count, 'result')}; --follow waits`);
  }
}

/** Where in the person's own files the first of the failed tasks threw. */
async function tellPlaces(
  client: MusterClient,
  jobId: string,
  failed: readonly FailedResult[],
  count: number,
  terminal: Terminal,
): Promise<void> {
  for (const { index, error } of failed) {
    const place = await placeOfError(client, jobId, index);
    if (place === undefined) continue;
    const [first = '', ...more] = messageLines(error.type, error.message);
    for (const line of [`task ${index} failed: ${first}`, ...more, `    ${place}`])
      terminal.note(line);
  }
  const [first] = failed;
  if (first === undefined) return;
  const others = count > failed.length ? `${count} tasks failed; one by one` : 'the whole stack';
  terminal.note(terminal.noteColors.dim(`${others}:  muster task ${jobId} ${first.index}`));
}

/** Before anything is waited for: whether the file can be written, and in which form if that may surprise. */
export async function checkOut(path: string, { terminal, folder }: Context): Promise<void> {
  const { isStream } = await outputTarget(path, folder);
  const note = formNote(path);
  if (!isStream && note !== '') terminal.note(note);
}

export async function saveResults(
  client: MusterClient,
  jobId: string,
  flags: Pick<Flags, 'out' | 'references' | 'failed'>,
  { terminal, folder }: Context,
  signal: AbortSignal,
): Promise<void> {
  const { out: path = '' } = flags;
  const texts = textsOf(linesOf(client, jobId, flags, signal), signal);
  const count = await writeResults(path, folder, texts).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw new CommandFailure('interrupted', `"${path}" was not written.`);
  });
  terminal.note(`${counted(count, 'result')} written to ${path}`);
}

/** Those that are wanted, in index order; failed ones with their inputs. */
function linesOf(
  client: MusterClient,
  jobId: string,
  { references = false, failed = false }: Pick<Flags, 'references' | 'failed'>,
  signal?: AbortSignal,
): AsyncIterable<ResultLine> {
  if (failed) return failedResults(client, jobId);
  const how = { references, ...(signal === undefined ? {} : { signal }) };
  return withFailedInputs(client, jobId, client.resultLines(jobId, how));
}

async function* textsOf(
  lines: AsyncIterable<ResultLine>,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  for await (const { text } of lines) {
    signal.throwIfAborted();
    yield text;
  }
}

/** Prints each result when it comes: as a line, or as an element of one array. */
class ResultPrinter {
  count = 0;
  readonly #terminal: Terminal;
  readonly #isArray: boolean;

  constructor(terminal: Terminal, isArray: boolean) {
    this.#terminal = terminal;
    this.#isArray = isArray;
  }

  print(text: string): Promise<void> {
    const isFirst = this.count === 0;
    this.count++;
    if (!this.#isArray) return this.#terminal.data(`${text}\n`);
    return this.#terminal.data(isFirst ? `[${text}` : `,\n${text}`);
  }

  async end(): Promise<void> {
    if (this.#isArray) await this.#terminal.data(this.count === 0 ? '[]\n' : ']\n');
  }
}
