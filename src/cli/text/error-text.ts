// The error of a task with the frames of its stack, as text.

import type { TaskDetail } from '../../client/index.ts';
import { plainText } from './foreign-text.ts';

/** Further lines of a message are marked, so that none passes for a line of ours. */
export function messageLines(type: string, message: string): string[] {
  const [first = '', ...more] = message.split('\n');
  return [`${type}: ${first}`, ...more.map((line) => `  | ${line}`)];
}

export function errorText(error: TaskDetail['error'], frames: readonly string[]): string[] {
  if (error === null) return [];
  return [
    ...messageLines(error.type, error.message).map((line) => plainText(line)),
    ...frames.map((frame) => `    ${plainText(frame)}`),
  ];
}
