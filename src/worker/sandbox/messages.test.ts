import { describe, expect, test } from 'vitest';
import { doneAgain, doneBytes, doneFailure, doneResult, readFromChild } from './messages.ts';

const outcome = (text: string, kind = doneResult) => ['done', [1, kind, text, 0.5, 0]];
const state = (text: string) => ['checkpoint', 1, 1, 0.5, 10, text];

describe('what an agent reads from a child', () => {
  test.each([
    [['ready']],
    [['pong']],
    [outcome('{"a":[1]}')],
    [['done', [1, doneBytes, Uint8Array.of(1), 0.5, 0]]],
    [outcome('', doneAgain)],
    [outcome('TypeError 0\nno', doneFailure)],
    [['progress', 1, 0.5, null]],
    [state('{"i":1}')],
    [['unsaved', 1, 'why']],
    [['output', 1, 'text']],
  ])('is %j', (message) => {
    expect(readFromChild(message)).toBe(message);
  });

  test.each([
    [['__proto__', 1]],
    [['constructor', 1]],
    [['toString']],
    [['hasOwnProperty', 'done']],
    [[['done'], []]],
    [[null]],
    [[]],
    [null],
    ['ready'],
    [{ 0: 'ready' }],
    [['done', [1, doneResult, '1', 0.5]]],
    [['progress', 1, 2, null]],
    [['done', [1, doneResult, '1', 1e308, 0]]],
    [['done', [1, doneResult, '1', 1, 1e13]]],
    [['checkpoint', 1, 1, 0.5, 1e308, '1']],
    [['done', [1, doneResult, Uint8Array.of(1), 0.5, 0]]],
    [['done', [1, doneFailure, Uint8Array.of(1), 0.5, 0]]],
    [['done', [1, doneBytes, '1', 0.5, 0]]],
    [['done', [1, doneBytes, new Uint16Array(1), 0.5, 0]]],
    [['done', [1, doneAgain + 1, '1', 0.5, 0]]],
    [['pong', 'x']],
    [['ready', [['x']]]],
    [['done', [], 'x']],
    [['progress', 1, 0.5, null, 'x']],
    [['unsaved', 1, 'why', 'x']],
    [['output', 1, 'text', 'x']],
    [[...state('1'), 'x']],
  ])('is not %j', (message) => {
    expect(readFromChild(message)).toBeNull();
  });

  test('brings nothing along that its size does not tell', () => {
    const many = Array.from({ length: 1025 * 5 }, (_, at) => (at % 5 === 2 ? '1' : 0));
    expect(readFromChild(['done', many.slice(5)])).not.toBeNull();
    expect(readFromChild(['done', many])).toBeNull();
    expect(readFromChild(Object.assign(['pong'], { more: 'x' }))).toBeNull();
    const items = Object.assign([1, doneResult, '1', 0.5, 0], { more: 'x' });
    expect(readFromChild(['done', items])).toBeNull();
  });

  test('is no result or state that would write into the frame around it', () => {
    const texts = ['1,"run_ms":0},{"task_id":"x"', '1}', '', '"', '1 2', 'undefined', '1e999'];
    for (const text of texts) {
      expect([text, readFromChild(outcome(text))]).toEqual([text, null]);
      expect([text, readFromChild(state(text))]).toEqual([text, null]);
    }
  });
});
