// `muster results ID`: prints the results of the tasks, one JSON object a line.

import type { Command } from 'commander';
import type { MusterClient } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { followJob, tellEnd } from '../follow.ts';
import { interruption } from '../process/interruption.ts';
import { runThenOf, thenFlag } from '../process/run-then.ts';
import { withNearestJob } from '../nearest-id.ts';
import { writeResults } from '../output-file.ts';
import { settingOption } from '../settings/settings.ts';
import type { Terminal } from '../text/terminal.ts';
import { counted } from '../text/wording.ts';

interface Flags extends ClientFlags {
  readonly follow?: boolean;
  readonly out?: string;
  readonly references?: boolean;
  readonly then?: string;
}

export function declareResults(program: Command, context: Context): void {
  program
    .command('results')
    .description('print the results of a job: {index, task_id, status, value | error} a line')
    .argument('<id>', 'of the job')
    .option('--follow', 'stay until the job has ended; results in order of completion')
    .option(
      '--out <file>',
      'write them to a file, in index order: lines, or by its ending a .json array or a .csv table',
    )
    .option('--references', 'large values as {"$blob": "<sha256>"}, instead of the values')
    .option(...thenFlag)
    .addOption(settingOption('url'))
    .option('--json', 'print one JSON array instead of lines')
    .action((id: string, flags: Flags) => showResults(id, flags, context));
}

async function showResults(id: string, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  const client = await openClient(flags);
  const job = await withNearestJob(client, id, () => client.jobHead(id));
  const isShown = flags.out === undefined;
  const references = flags.references === true;
  if (flags.follow || flags.then !== undefined) {
    const printer = new ResultPrinter(terminal, flags.json === true);
    const print = async (text: string) => {
      if (isShown) await printer.print(text);
    };
    const how = { references: references || !isShown };
    const end = await followJob(client, job, terminal, interruption(), print, how);
    if (isShown) await printer.end();
    if (end.type === 'final' && !isShown) await saveResults(client, id, flags, context);
    await runThenOf(flags, end, context);
    return context.exit(tellEnd(end, id, terminal, flags.out));
  }
  if (!isShown) return saveResults(client, id, flags, context);
  const printer = new ResultPrinter(terminal, flags.json === true);
  for await (const { text } of client.resultLines(id, { references })) await printer.print(text);
  await printer.end();
  if (job.completed_at === null) {
    terminal.note(`${printer.count} of ${counted(job.task_count, 'result')}; --follow waits`);
  }
}

export async function saveResults(
  client: MusterClient,
  jobId: string,
  { out: path = '', references = false }: Pick<Flags, 'out' | 'references'>,
  { terminal, folder }: Context,
): Promise<void> {
  const count = await writeResults(path, folder, textsOf(client, jobId, references));
  terminal.note(`${counted(count, 'result')} written to ${path}`);
}

async function* textsOf(
  client: MusterClient,
  jobId: string,
  references: boolean,
): AsyncGenerator<string, void, void> {
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
