// `muster results JOB`: prints the results of the tasks, one JSON object a line.

import type { Command } from 'commander';
import type { MusterClient, TaskResult } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { followJob, tellEnd } from '../follow.ts';
import { interruption } from '../process/interruption.ts';
import { JOB_HANDLE, withJob } from '../handles.ts';
import { writeResults } from '../output-file.ts';
import { settingOption } from '../settings/settings.ts';
import { failedResults } from '../task-pages.ts';
import type { Terminal } from '../text/terminal.ts';
import { counted } from '../text/wording.ts';

interface Flags extends ClientFlags {
  readonly follow?: boolean;
  readonly out?: string;
  readonly references?: boolean;
  readonly failed?: boolean;
}

export function declareResults(program: Command, context: Context): void {
  program
    .command('results')
    .description('print the results of a job: {index, task_id, status, value | error} a line')
    .argument('<job>', JOB_HANDLE)
    .option('--follow', 'stay until the job has ended; results in order of completion')
    .option(
      '--out <file>',
      'write them to a file, in index order: lines, or by its ending a .json array or a .csv table',
    )
    .option('--failed', 'only those of tasks that have failed')
    .option('--references', 'large values as {"$blob": "<sha256>"}, instead of the values')
    .addOption(settingOption('url'))
    .option('--json', 'print one JSON array instead of lines')
    .action((handle: string, flags: Flags) => showResults(handle, flags, context));
}

async function showResults(handle: string, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  const client = await openClient(flags);
  const job = await withJob(client, handle, (jobId) => client.jobHead(jobId));
  const { id } = job;
  const isShown = flags.out === undefined;
  const references = flags.references === true;
  if (flags.follow) {
    const printer = new ResultPrinter(terminal, flags.json === true);
    const print = async (text: string, { status }: TaskResult) => {
      const isWanted = flags.failed !== true || status === 'failed';
      if (isShown && isWanted) await printer.print(text);
    };
    const how = { references: references || !isShown };
    const end = await followJob(client, job, terminal, interruption(), print, how);
    if (isShown) await printer.end();
    if (end.type === 'final' && !isShown) await saveResults(client, id, flags, context);
    return context.exit(tellEnd(end, id, terminal, flags.out));
  }
  if (!isShown) return saveResults(client, id, flags, context);
  const printer = new ResultPrinter(terminal, flags.json === true);
  for await (const text of textsOf(client, id, flags)) await printer.print(text);
  await printer.end();
  if (flags.failed === true && printer.count === 0) terminal.note('no task has failed');
  else if (job.completed_at === null && flags.failed !== true) {
    terminal.note(`${printer.count} of ${counted(job.task_count, 'result')}; --follow waits`);
  }
}

export async function saveResults(
  client: MusterClient,
  jobId: string,
  flags: Pick<Flags, 'out' | 'references' | 'failed'>,
  { terminal, folder }: Context,
): Promise<void> {
  const { out: path = '' } = flags;
  const count = await writeResults(path, folder, textsOf(client, jobId, flags));
  terminal.note(`${counted(count, 'result')} written to ${path}`);
}

async function* textsOf(
  client: MusterClient,
  jobId: string,
  { references = false, failed = false }: Pick<Flags, 'references' | 'failed'>,
): AsyncGenerator<string, void, void> {
  if (failed) return yield* failedResults(client, jobId);
  for await (const { text } of client.resultLines(jobId, { references })) yield text;
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
