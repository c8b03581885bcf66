// Where in what was given lies what the coordinator refused.

import { MusterError } from '../../../../client/errors.ts';
import { jobOptions } from '../../../../protocol/job-options.ts';
import type { InputFormat } from './input-format.ts';
import { readInputs } from './input-reader.ts';

export interface Refusal {
  readonly place: 'program' | 'inputs' | 'options' | 'job';
  readonly sentence: string;
  /** Of the program or of the inputs; null when it has none. */
  readonly line: number | null;
}

/** `format` and `source`: of the inputs, null where they are a range. */
export async function refusalOf(
  error: unknown,
  format: InputFormat,
  source: Blob | null,
): Promise<Refusal> {
  const sentence = error instanceof Error ? error.message : String(error);
  const { number, rest } = inputOf(sentence);
  if (number !== null) {
    if (format === 'range' || source === null) return { place: 'inputs', sentence, line: null };
    const line = await lineOfInput(format, source, number);
    return { place: 'inputs', sentence: `Line ${line} ${rest}`, line };
  }
  const path = error instanceof MusterError ? (error.errors[0]?.path ?? '') : '';
  const [first = ''] = path.split(/[.[]/);
  if (first === 'program') return { place: 'program', sentence, line: null };
  if (first === 'inputs') return { place: 'inputs', sentence, line: null };
  const place = Object.hasOwn(jobOptions, first) ? 'options' : 'job';
  return { place, sentence, line: null };
}

/** Which input a sentence begins with. Of what is sent the first line is the job, so the second is the first input. */
function inputOf(sentence: string): { readonly number: number | null; readonly rest: string } {
  const line = /^Line (\d+) (.*)$/s.exec(sentence);
  if (line !== null && Number(line[1]) > 1) return { number: Number(line[1]) - 1, rest: line[2]! };
  const index = /^inputs\[(\d+)\]\S* (.*)$/s.exec(sentence);
  if (index !== null) return { number: Number(index[1]) + 1, rest: index[2]! };
  return { number: null, rest: sentence };
}

/** It is read once more, so that nobody has to remember the lines of ten million inputs. */
async function lineOfInput(
  format: Exclude<InputFormat, 'range'>,
  source: Blob,
  number: number,
): Promise<number> {
  let count = 0;
  for await (const { line } of readInputs(format, source)) {
    count++;
    if (count === number) return line;
  }
  return 1;
}

/** The line of the program that the error of a task names: `at f (program:2:14)`, or `… (line 2)`. */
export function lineInProgram(error: {
  readonly message: string;
  readonly stack?: string;
}): number | null {
  const place =
    /\bprogram:(\d+):\d+/.exec(error.stack ?? '') ?? /\(line (\d+)\)/.exec(error.message);
  return place === null ? null : Number(place[1]);
}
