// The inputs that `muster try` runs: those that are typed, or some of those that `submit` would send.

import { RawJson } from '../../protocol/codec.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { hasInputFlag, type InputFlags, inputsOf } from '../inputs/input-flags.ts';
import type { JobInputs } from '../inputs/job-inputs.ts';
import type { TrialTask } from './run-trial.ts';

export interface TrialInputFlags extends InputFlags {
  readonly input: readonly string[];
  readonly task?: number;
  readonly state?: string;
}

/** Of `--inputs` the first ones are tried, `most` of them; of all other flags the first input. */
export async function trialTasks(
  flags: TrialInputFlags,
  context: Context,
  most: number,
): Promise<readonly TrialTask[]> {
  const stateJson = flags.state === undefined ? null : jsonText('--state', flags.state);
  const typed = flags.input.map((text) => jsonText('--input', text));
  const hasSource = hasInputFlag(flags);
  if (flags.task !== undefined && (!hasSource || typed.length > 0)) {
    throw new CommandFailure('usage', '--task chooses one of the inputs of a job.', [
      "Say where they come from, as for submit:  --files 'data/*.csv' --task 3",
    ]);
  }
  if (!hasSource && typed.length === 0) {
    throw new CommandFailure('usage', 'There is nothing to try the program with.', [
      'Give one or more inputs:  --input 7 --input \'{"n": 7}\'  or where they come from, as for',
      "submit:  --inputs FILE, --csv FILE, --files 'data/*.csv', …",
    ]);
  }
  const first = flags.task ?? 0;
  const texts = hasSource ? await chosenOf(flags, first, context, most) : [];
  return [...typed, ...texts].map((inputJson, at) => ({ index: first + at, inputJson, stateJson }));
}

async function chosenOf(
  flags: TrialInputFlags,
  first: number,
  context: Context,
  mostLines: number,
): Promise<readonly string[]> {
  const most = flags.inputs !== undefined && flags.task === undefined ? mostLines : 1;
  const texts: string[] = [];
  let index = 0;
  for await (const value of valuesOf(await inputsOf(flags, context))) {
    if (texts.length === most) {
      if (flags.task !== undefined) break;
      const tried = most === 1 ? 'first is' : `first ${most} are`;
      context.terminal.note(`There are more inputs; the ${tried} tried (another: --task INDEX).`);
      break;
    }
    if (index++ < first) continue;
    texts.push(value instanceof RawJson ? value.text : (JSON.stringify(value) ?? 'null'));
  }
  if (flags.task === undefined || texts.length > 0) return texts;
  throw new CommandFailure('usage', `There is no input ${first}: the last is ${index - 1}.`);
}

async function* valuesOf(inputs: JobInputs): AsyncGenerator<unknown, void, void> {
  if (inputs.type === 'list') return yield* inputs.values;
  for (let at = 0; at < inputs.count; at++) yield inputs.start + at;
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
