import { expect, test } from 'vitest';
import { aWorker } from '../workers/testing.ts';
import { workerSentence } from './worker-sentence.ts';

const ready = { title: 'It is ready', isTrouble: false };

test('one that works tells on how much', () => {
  expect(workerSentence(aWorker({ slots: 8 }), 2, ready)).toEqual({
    name: 'atlas',
    does: 'works on two tasks, on 2 of 8 slots.',
  });
});

test('one that has nothing tells its state', () => {
  expect(workerSentence(aWorker(), 0, ready).does).toBe('is ready.');
});

test('a trouble is told before the work', () => {
  const reason = { title: 'It fails what succeeds elsewhere', isTrouble: true };
  expect(workerSentence(aWorker(), 2, reason).does).toBe('fails what succeeds elsewhere.');
});

test('one that is drained works, and takes nothing new', () => {
  const draining = { since: null, deadline: null };
  expect(workerSentence(aWorker({ draining }), 1, ready).does).toBe(
    'works on one task, on 1 of 4 slots, and takes nothing new.',
  );
});
