import { expect, test } from 'vitest';
import { workersSentence } from './workers-sentence.ts';

const sums = {
  workers: 24,
  here: 22,
  out: 0,
  slots: 129,
  taken: 121,
  completed: 0,
  failed: 0,
};
const trouble = (kind: 'quarantined' | 'failing' | 'waiting' | 'silent' | 'refusing') => ({
  kind,
  text: '',
});

test('it begins with who is here and what is at work', () => {
  expect(workersSentence(sums, [])).toEqual({
    here: '22 of 24 workers',
    out: '',
    slots: '121 of 129 slots',
    trouble: null,
  });
});

test('nobody counts one of one', () => {
  expect(workersSentence({ ...sums, workers: 1, here: 1 }, []).here).toBe('One worker');
  expect(workersSentence({ ...sums, here: 24 }, []).here).toBe('All 24 workers');
});

test('what is out of service is told, and is not here', () => {
  expect(workersSentence({ ...sums, out: 1 }, []).out).toBe(', one is out of service');
  expect(workersSentence({ ...sums, out: 2 }, []).out).toBe(', two are out of service');
});

test('while nobody is here there is no slot to speak of', () => {
  const nobody = { ...sums, here: 0, slots: 0, taken: 0 };
  expect(workersSentence(nobody, [])).toMatchObject({ here: '0 of 24 workers', slots: null });
});

test('those that fail are told together, before those that wait', () => {
  const troubles = [trouble('waiting'), trouble('quarantined'), trouble('failing')];
  expect(workersSentence(sums, troubles).trouble).toBe('Two workers fail what others finish.');
});

test('one alone is told in the singular', () => {
  expect(workersSentence(sums, [trouble('waiting')]).trouble).toBe('One worker asks to be let in.');
  expect(workersSentence(sums, [trouble('silent')]).trouble).toBe('One worker is silent.');
  expect(workersSentence(sums, [trouble('refusing')]).trouble).toBe('One worker gives tasks back.');
});
