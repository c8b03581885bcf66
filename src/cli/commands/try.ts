// `muster try PROGRAM`: runs a few inputs on this machine, in the sandbox of a worker and without a
// coordinator, and shows what a job would not.

import type { Command } from 'commander';
import { type ProgramMap, programMap } from '../../client/program-map.ts';
import { jobOptions } from '../../protocol/job-options.ts';
import type { IsolationUse } from '../../worker/node/confinement.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { addInputFlags } from '../inputs/input-flags.ts';
import { programSource } from '../inputs/program-source.ts';
import { interruption } from '../process/interruption.ts';
import { decimalNumber, megabytes, wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { plainText } from '../text/foreign-text.ts';
import type { Terminal } from '../text/terminal.ts';
import type { Trial, TrialEnd, TrialNews, TrialTask } from '../trial/run-trial.ts';
import type { TrialInputFlags } from '../trial/trial-inputs.ts';
import { endLines, newsLines, shortened } from '../trial/trial-text.ts';

const TASK_MOST = 1_000_000_000;
/** In the JSON of an input; the newest. */
const CHECKPOINTS_MOST = 100;
const CHECKPOINTS_FIRST = 5;
const CHECKPOINT_PAUSE_MS = 200;
const TIMEOUT_MOST = jobOptions.attempt_timeout_seconds.most;

/** Of `--inputs`. */
const INPUTS_MOST = 100;

interface Flags extends TrialInputFlags {
  readonly with?: string;
  readonly attemptTimeout: number;
  readonly isolation: IsolationUse;
  readonly memory: number;
  readonly check: boolean;
  readonly json?: boolean;
}

export function declareTry(program: Command, context: Context): void {
  const command = program
    .command('try')
    .description('run a few inputs on this machine, in the sandbox, without a coordinator')
    .argument('<program>', 'a .js or .ts file whose default export is the task function')
    .option('--input <json>', 'an input; may be repeated', each, []);
  addInputFlags(command)
    .option(
      '--task <index>',
      `of these inputs; otherwise the first, and the first ${INPUTS_MOST} of --inputs`,
      wholeNumber('the index of a task', 0, TASK_MOST),
    )
    .option(
      '--with <file>',
      'an object in a file of JSON: its members are constants of the program',
    )
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
  const { trialTasks } = await import('../trial/trial-inputs.ts');
  const tasks = await trialTasks(flags, context, INPUTS_MOST);
  const source = await programSource(path, flags, context);
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

function each(text: string, previous: readonly string[]): readonly string[] {
  return [...previous, text];
}
