import { expect, test } from 'vitest';
import type { AttemptHistory } from '../../../../protocol/evaluation.ts';
import { clock } from '../../text/times.ts';
import { attemptsNote } from './attempts-note.ts';

const nowMs = Date.parse('2026-05-04T09:30:00.000Z');
const ago = (seconds: number) => nowMs - 1000 * seconds;
const at = (seconds: number) => clock(new Date(ago(seconds)));
const history = (left: number) => ({ left_out: left }) as AttemptHistory;
const shown = (seconds: number) => ({ from: ago(seconds), to: nowMs });
const all = { history: history(0), isCut: false, minutes: 4, isLive: true };

test('what was asked for is told as such when all of it is shown', () => {
  const four = { ...all, shown: shown(240) };
  expect(attemptsNote(four)).toBe('last 4 minutes');
  expect(attemptsNote({ ...four, isLive: false })).toBe('its last 4 minutes');
  const hour = { ...all, minutes: 60, shown: shown(3600) };
  expect(attemptsNote(hour)).toBe('last hour');
  expect(attemptsNote({ ...all, shown: shown(30) })).toBe(`since ${at(30)}`);
  expect(attemptsNote({ ...four, minutes: null })).toBe(`${at(240)} to ${at(0)}`);
});

test('where there are too many, it says so, and how much is shown', () => {
  const cut = { ...all, isCut: true, shown: shown(80) };
  const text = (count: number) =>
    attemptsNote({ ...cut, history: history(count) }).replaceAll('\u202f', ' ');
  expect(text(12_000)).toBe('too many: only the last 1 min 20 s');
  expect(text(0)).toBe(`kept since ${at(80)}: the last 1 min 20 s`);
});
