import { expect, test } from 'vitest';
import type { LastDecision } from '../../../../protocol/scheduling-info.ts';
import { whySame } from './why-same.ts';

const last = { algorithm: 'fifo' } as LastDecision;
const worker = (eligible: boolean, selected = false) => ({ eligible, selected });
const one = [worker(true, true), worker(false), worker(false)];

test('a decision without a choice says why nothing differs', () => {
  const told = whySame({ pending_tasks: 24_586, last_decision: last, workers: one });
  expect(told).toMatch(/one device to choose from while 24.586 tasks wait/);
  expect(whySame({ pending_tasks: 0, last_decision: last, workers: one })).not.toMatch(/wait/);
});

test('the chosen device counts, though it is full by now', () => {
  const workers = [worker(false, true), worker(false)];
  expect(whySame({ pending_tasks: 9, last_decision: last, workers })).not.toBeNull();
});

test('where there was a choice, or no decision, nothing is claimed', () => {
  const workers = [...one, worker(true)];
  expect(whySame({ pending_tasks: 9, last_decision: last, workers })).toBeNull();
  expect(whySame({ pending_tasks: 9, last_decision: null, workers: one })).toBeNull();
});
