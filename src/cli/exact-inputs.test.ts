import { describe, expect, test } from 'vitest';
import type { TaskInput } from '../client/index.ts';
import { payloadText } from '../protocol/codec.ts';
import { exactTask, exactTasks } from './exact-inputs.ts';

const page = (text: string) => ({ text, value: JSON.parse(text) as TaskInput[] });

/** The texts of the inputs of a page. */
function cutOut(...inputs: readonly string[]): readonly (string | undefined)[] {
  const tasks = inputs.map((input, index) => `{"index":${index},"error":null,"input":${input}}`);
  return exactTasks(page(`[${tasks.join(',')}]`)).map(({ input }) =>
    input === undefined ? undefined : payloadText(input),
  );
}

describe('the inputs of an answer are', () => {
  test.each([
    ['with all digits', '123456789012345678901234567890'],
    ['with the form of their numbers', '[1.0,-0,1E+2,0.10]'],
    ['with keys that stand there twice', '{"b":1,"b":2}'],
    ['in the order of their keys', '{"b":0,"2":0,"1":0,"__proto__":{"a":1}}'],
    ['with their escapes', String.raw`"\u0041\"}],\\ü🙂\/\ud800"`],
    ['nested', `${'['.repeat(900)}{"a":[]}${']'.repeat(900)}`],
    ['nested deeper than is sent', `${'['.repeat(3_000)}1${']'.repeat(3_000)}`],
    ['with members of their name', '{"input":{"input":1.0},"index":7}'],
    ['of one word', 'null'],
    ['in the spaces of who sent them', '{ "a" :\t1.0 }'],
    ['with a mark at their beginning', '"\ufeffa"'],
  ])('%s', (_what, text) => {
    expect(cutOut('1', text, '{"a":"]"}')).toEqual(['1', text, '{"a":"]"}']);
    const one = `{"attempts":[{"input":5}],"input":${text}}`;
    const { input } = exactTask({ text: one, value: JSON.parse(one) as TaskInput });
    expect(payloadText(input)).toBe(text);
  });

  test('those of large pages', () => {
    const texts = Array.from(
      { length: 1_000 },
      (_, index) => `["${'ü'.repeat(1_000)}",${index}.0]`,
    );
    expect(cutOut(...texts)).toEqual(texts);
  });

  test('those that there are: others have a reason instead, or nothing', () => {
    const text = '[{"input":1.0},{"input_problem":"damaged"},{},{"input":2.0}]';
    const tasks = exactTasks(page(text));
    expect(tasks.slice(1, 3)).toEqual([{ input_problem: 'damaged' }, {}]);
    expect([tasks[0]!, tasks[3]!].map(({ input }) => payloadText(input))).toEqual(['1.0', '2.0']);
    expect(exactTasks(page('[]'))).toEqual([]);
  });
});
