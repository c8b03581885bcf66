// The options of a job as flags of `submit`, in the order of its help. The compiler asks for a line
// here for each option of `protocol/job-options.ts`.

import { type Command, Option } from 'commander';
import {
  type JobOptionName,
  jobOptions,
  type SubmittedOptions,
} from '../../protocol/job-options.ts';
import { decimalNumber, megabytes, wholeNumber } from './flag-values.ts';

interface JobFlag<Value> {
  readonly option: Option;
  /** Says that an option that would be taken over from another job is not wanted. Not in the help: it is rare. */
  readonly undo?: Option;
  /** Makes the submitted value from the value of the flag, which is false for `undo`. */
  readonly toValue: (given: unknown) => Value;
}

/**
 * Priorities of tasks have no flag; requirements have several (`requirement-flags.ts`), and so has who is
 * told (`notify-flags.ts`).
 */
type Flagged = Exclude<JobOptionName, 'task_priorities' | 'requirements' | 'notify'>;

/** A wide bound for all options; the coordinator checks the bound of each. */
const SECONDS_MOST = 31_536_000;

export const jobFlags: {
  readonly [Name in Flagged]: JobFlag<Required<SubmittedOptions>[Name]>;
} = {
  name: text('--name <text>', 'of the job (default: the name of the file)'),
  client_id: text('--client <text>', 'label for who submits'),
  priority: number('--priority <number>', 'larger goes first', jobOptions.priority),
  max_attempts: number(
    '--max-attempts <number>',
    'tries of a task that fails',
    jobOptions.max_attempts,
  ),
  max_lost_attempts: number(
    '--max-lost-attempts <number>',
    'tries of a task whose worker is lost',
    jobOptions.max_lost_attempts,
  ),
  retry_delay_seconds: seconds('--retry-delay <seconds>', 'before the second try', 0),
  attempt_timeout_seconds: seconds('--attempt-timeout <seconds>', 'for one try', 1),
  progress_timeout_seconds: seconds('--progress-timeout <seconds>', 'without any progress', 1),
  checkpoint: interval(
    '--checkpoint-interval <seconds>',
    'between two checkpoints of a task, like 0.5 (default: by what one costs)',
    jobOptions.checkpoint,
  ),
  speculation: sign(
    '--speculate',
    'let an idle worker run a copy of a task that takes too long',
    { enabled: true },
    { enabled: false },
  ),
  retain_seconds: number(
    '--retain <seconds>',
    'how long the job and its results are kept after its end',
    jobOptions.retain_seconds,
  ),
  memory_mb: {
    option: new Option(
      '--memory <size>',
      'that one task may take, like 2GB (default: 512MB)',
    ).argParser(megabytes('an amount of memory', jobOptions.memory_mb)),
    toValue: (given) => given as number,
  },
  hold: sign('--hold', 'nothing of the job starts before `muster release`', true),
  keep_output: word(
    '--keep-output <when>',
    'keep what tasks print: on_failure, always or never',
    jobOptions.keep_output.words,
  ),
  live_output: sign(
    '--output',
    'tell what tasks print while they run; --follow shows it',
    true,
    false,
  ),
  late_results: sign(
    '--reject-late-results',
    'what a lost worker brings later does not count',
    'reject',
    'accept',
  ),
  on_task_failure: sign(
    '--fail-fast',
    'give the job up when one of its tasks has failed for good',
    'fail_job',
    'continue',
  ),
};

export function addJobFlags(command: Command): Command {
  for (const { option, undo } of Object.values<JobFlag<unknown>>(jobFlags)) {
    command.addOption(option);
    if (undo !== undefined) command.addOption(undo);
  }
  return command;
}

/** The options that were given; the coordinator adds the defaults. */
export function jobOptionsOf(flags: object): SubmittedOptions {
  const given = new Map<string, unknown>(Object.entries(flags));
  const submitted = Object.entries<JobFlag<unknown>>(jobFlags)
    .filter(([, { option }]) => given.get(option.attributeName()) !== undefined)
    .map(([name, { option, toValue }]) => [name, toValue(given.get(option.attributeName()))]);
  return Object.fromEntries(submitted) as SubmittedOptions;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

function text(flags: string, meaning: string): JobFlag<string> {
  return { option: new Option(flags, meaning), toValue: (given) => given as string };
}

function number(flags: string, meaning: string, { least, most }: Bounds): JobFlag<number> {
  const option = new Option(flags, meaning).argParser(wholeNumber('a number here', least, most));
  return { option, toValue: (given) => given as number };
}

function seconds(flags: string, meaning: string, least: number): JobFlag<number> {
  return number(flags, meaning, { least, most: SECONDS_MOST });
}

function interval(
  flags: string,
  meaning: string,
  { least, most }: Bounds,
): JobFlag<{ readonly interval_seconds: number }> {
  const parse = decimalNumber('a number of seconds', least, most);
  return {
    option: new Option(flags, meaning).argParser(parse),
    toValue: (given) => ({ interval_seconds: given as number }),
  };
}

function word<const Word extends string>(
  flags: string,
  meaning: string,
  words: readonly Word[],
): JobFlag<Word> {
  return { option: new Option(flags, meaning).choices(words), toValue: (given) => given as Word };
}

/** A flag without an argument: `value` is submitted when it is given, and `undone` for `--no-` before it. */
function sign<const Value>(
  flag: `--${string}`,
  meaning: string,
  value: Value,
  undone?: Value,
): JobFlag<Value> {
  const option = new Option(flag, meaning);
  if (undone === undefined) return { option, toValue: () => value };
  const undo = new Option(flag.replace('--', '--no-')).hideHelp();
  return { option, undo, toValue: (given) => (given === false ? undone : value) };
}
