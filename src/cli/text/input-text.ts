// The input of a task in one line: the whole, or its beginning with its size.

import type { TaskInput } from '../../client/index.ts';
import { blobReferenceOf } from '../../protocol/blob-reference.ts';
import { payloadText } from '../../protocol/codec.ts';
import { plainText } from './foreign-text.ts';
import { grouped } from './wording.ts';

const NAME = 'input: ';
const LEAST_SHOWN = 20;

/** None when it is not known: coordinators of before do not tell it. */
export function inputLines(
  { input, input_problem: problem }: TaskInput,
  columns: number,
): readonly string[] {
  if (problem !== undefined) return [plainText(`${NAME}${problem}`)];
  if (input === undefined) return [];
  const text = payloadText(input);
  if (blobReferenceOf(text) !== undefined) {
    return [`${NAME}kept as a blob, ${text} (the whole: --input)`];
  }
  if (NAME.length + text.length <= columns) return [plainText(NAME + text)];
  const rest = `… (${grouped(text.length)} characters, the whole: --input)`;
  const room = Math.max(LEAST_SHOWN, columns - NAME.length - rest.length);
  return [plainText(NAME + text.slice(0, room) + rest)];
}
