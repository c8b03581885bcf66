// `muster try PROGRAM`: runs a few inputs on this machine, in the sandbox of a worker and without a
// coordinator, and shows what a job would not.

import type { Command } from 'commander';
import { type ProgramMap, programMap } from '../../client/program-map.ts';
import { RawJson } from '../../protocol/codec.ts';
import { jobOptions } from '../../protocol/job-options.ts';
import type { IsolationUse } from '../../worker/node/confinement.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { interruption } from '../process/interruption.ts';
import { decimalNumber, megabytes } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { tellDoubts } from '../text/doubts.ts';
import { plainText } from '../text/foreign-text.ts';
import type { Terminal } from '../text/terminal.ts';
import type { Trial, TrialEnd, TrialNews, TrialTask } from '../trial/run-trial.ts';
import { endLines, newsLines, shortened } from '../trial/trial-text.ts';

const INPUTS_MOST = 100;
/** In the JSON of an input; the newest. */
const CHECKPOINTS_MOST = 100;
const CHECKPOINTS_FIRST = 5;
const CHECKPOINT_PAUSE_MS = 200;
const TIMEOUT_MOST = jobOptions.attempt_timeout_seconds.most;

interface Flags {
  readonly input: readonly string[];
  readonly inputs?: string;
  readonly state?: string;
  readonly attemptTimeout: number;
  readonly isolation: IsolationUse;
  readonly memory: number;
  readonly check: boolean;
  readonly json?: boolean;
}

export function declareTry(program: Command, context: Context): void {
  program
    .command('try')
    .description('run a few inputs on this machine, in the sandbox, without a coordinator')
    .argument('<program>', 'a .js or .ts file whose default export is the task function')
    .option('--input <json>', 'an input; may be repeated', each, [])
    .option('--inputs <file>', `a file as for submit; its first ${INPUTS_MOST} inputs are tried`)
    .option('--state <json>', 'resume from this state of a checkpoint')
    .option(
      '--attempt-timeout <seconds>',
      'for each input',
      decimalNumber('a time limit', jobOptions.attempt_timeout_seconds.least, TIMEOUT_MOST),
      jobOptions.attempt_timeout_seconds.default,
    )
    .option(
      '--memory <size>',
      'that each input may take, like 2GB',
      megabytes('an amount of memory', jobOptions.memory_mb),
      jobOptions.memory_mb.default,
    )
    .option('--no-check', 'try what the check of the program refuses')
    .addOption(settingOption('isolation'))
    .option('--json', 'print an object for each input: its result or error, output, time, memory')
    .action((path: string, flags: Flags) => tryProgram(path, flags, context));
}

async function tryProgram(path: string, flags: Flags, context: Context): Promise<void> {
  const { terminal } = context;
  const tasks = await tasksOf(flags, context);
  const { bundleProgram } = await import('../bundle/bundle.ts');
  const { source, doubts } = await bundleProgram(path, context.folder, {
    isChecked: flags.check,
  });
  tellDoubts(doubts, terminal);
  const signal = interruption();
  const { isolation, attemptTimeout, memory: memoryMb } = flags;
  const { Trial } = await import('../trial/run-trial.ts');
  const trial = new Trial(source, { isolation, timeoutMs: attemptTimeout * 1000, memoryMb });
  const interrupted = new Promise<'interrupted'>((resolve) => {
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
  const map = programMap(source);
  let failed = 0;
  try {
    for (const task of tasks) {
      const end = flags.json
        ? runInSilence(trial, task, map, terminal)
        : runInSight(trial, task, map, terminal);
      const outcome = await Promise.race([end, interrupted]);
      if (outcome === 'interrupted') return context.exit(exitCodes.interrupted.code);
      if (outcome === 'failure') failed++;
    }
  } finally {
    await trial.close();
  }
  if (failed > 0) context.exit(exitCodes.jobFailed.code);
}

/** Of many checkpoints, the first few are shown, then some of every second. */
class CheckpointPace {
  #count = 0;
  #shownAt = 0;

  isShown(): boolean {
    const now = performance.now();
    if (++this.#count > CHECKPOINTS_FIRST && now - this.#shownAt < CHECKPOINT_PAUSE_MS)
      return false;
    this.#shownAt = now;
    return true;
  }
}

type Outcome = TrialEnd['outcome']['type'];

async function runInSight(
  trial: Trial,
  task: TrialTask,
  map: ProgramMap,
  terminal: Terminal,
): Promise<Outcome> {
  const { noteColors } = terminal;
  const note = (lines: readonly string[]) => {
    for (const line of lines) terminal.note(line);
  };
  note([noteColors.bold(`input ${task.index}: ${plainText(shortened(task.inputJson))}`)]);
  const pace = new CheckpointPace();
  const end = await trial.run(task, (news) => {
    if (news.type !== 'checkpoint' || pace.isShown()) note(newsLines(news, noteColors));
  });
  note(endLines(end, map, noteColors));
  if (end.outcome.type === 'result') await terminal.data(`${end.outcome.valueJson}\n`);
  return end.outcome.type;
}

async function runInSilence(
  trial: Trial,
  task: TrialTask,
  map: ProgramMap,
  terminal: Terminal,
): Promise<Outcome> {
  const checkpoints: unknown[] = [];
  const notes: string[] = [];
  const { outcome, memoryMb } = await trial.run(task, (news: TrialNews) => {
    if (news.type === 'checkpoint') {
      checkpoints.push({ progress: news.progress, state: JSON.parse(news.stateJson) as unknown });
      if (checkpoints.length > CHECKPOINTS_MOST) checkpoints.shift();
    } else if (news.type === 'unsaved') notes.push(news.why);
  });
  terminal.json({
    index: task.index,
    ...ended(outcome, map),
    run_ms: outcome.runMs,
    cpu_seconds: outcome.cpuSeconds,
    memory_mb: Math.round(memoryMb * 10) / 10,
    output: outcome.output ?? '',
    checkpoints,
    ...(notes.length === 0 ? {} : { unsaved: notes }),
  });
  return outcome.type;
}

function ended(outcome: TrialEnd['outcome'], map: ProgramMap): object {
  if (outcome.type === 'result') {
    return { status: 'completed', result: JSON.parse(outcome.valueJson) as unknown };
  }
  const { errorType: type, errorMessage: message, errorStack, retryable } = outcome;
  const stack = errorStack === undefined ? null : map.mapped(errorStack);
  return { status: 'failed', error: { type, message, stack, retryable } };
}

async function tasksOf(flags: Flags, { folder, terminal }: Context): Promise<readonly TrialTask[]> {
  const stateJson = flags.state === undefined ? null : jsonText('--state', flags.state);
  const texts = flags.input.map((text) => jsonText('--input', text));
  if (flags.inputs !== undefined) texts.push(...(await firstOf(flags.inputs, folder, terminal)));
  if (texts.length === 0) {
    throw new CommandFailure('usage', 'There is nothing to try the program with.', [
      'Give one or more inputs:  --input 7 --input \'{"n": 7}\'  or  --inputs FILE',
    ]);
  }
  return texts.map((inputJson, index) => ({ index, inputJson, stateJson }));
}

async function firstOf(path: string, folder: string, terminal: Terminal): Promise<string[]> {
  const { openInputs } = await import('../inputs/job-inputs.ts');
  const inputs = await openInputs(path, folder, process.stdin);
  const texts: string[] = [];
  if (inputs.type === 'range') return texts;
  for await (const value of inputs.values) {
    if (texts.length === INPUTS_MOST) {
      terminal.note(`There are more inputs; the first ${INPUTS_MOST} are tried.`);
      break;
    }
    texts.push(value instanceof RawJson ? value.text : (JSON.stringify(value) ?? 'null'));
  }
  return texts;
}

function jsonText(flag: string, text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    const why = (error as Error).message;
    throw new CommandFailure('usage', `${flag} ${text} is not a JSON value: ${why}.`, [
      `A text has quotes of its own:  ${flag} '"some text"'`,
    ]);
  }
}

function each(text: string, previous: readonly string[]): readonly string[] {
  return [...previous, text];
}
