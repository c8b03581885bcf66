// The error of a task with the frames of its stack, as text.

import type { TaskDetail } from '../../client/index.ts';
import { plainText } from './foreign-text.ts';

export function errorText(error: TaskDetail['error'], frames: readonly string[]): string[] {
  if (error === null) return [];
  const message = error.message.split('\n').map((line) => plainText(line));
  const [first = '', ...more] = message;
  return [
    `${plainText(error.type)}: ${first}`,
    // Marked, so that no line of a message passes for a line of ours.
    ...more.map((line) => `  | ${line}`),
    ...frames.map((frame) => `    ${plainText(frame)}`),
  ];
}
