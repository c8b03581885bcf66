import { expect, test } from 'vitest';
import type { DecisionExplanation } from '../../../../protocol/explanations.ts';
import type { RankedWorkerResource } from '../../../../protocol/scheduling-info.ts';
import { decisionRows } from './decision-rows.ts';

const worker = (
  rank: number,
  contributions: Readonly<Record<string, number>>,
  more: Partial<RankedWorkerResource> = {},
): RankedWorkerResource => ({
  worker_id: `w${rank}`,
  rank,
  score: 1 / rank,
  eligible: true,
  reasons: [],
  selected: rank === 1,
  criteria: Object.fromEntries(
    Object.entries(contributions).map(([id, contribution]) => [
      id,
      { value: 1, weight: 0.1, contribution, kind: 'benefit', imputed: false, projected: false },
    ]),
  ),
  details: {},
  ...more,
});
const rows = (workers: readonly RankedWorkerResource[]) =>
  decisionRows({ workers } as unknown as DecisionExplanation);

test('bars are made of what each criterion gave, in their fixed order and colours', () => {
  const [first, second] = rows([worker(1, { memory: 0.75, cpu: 0.25 }), worker(2, { cpu: 0.5 })]);
  expect(first!.parts).toEqual([
    { criterion: 'cpu', colour: 'var(--c1)', share: 0.25 },
    { criterion: 'memory', colour: 'var(--c2)', share: 0.75 },
  ]);
  expect(second!.parts).toEqual([{ criterion: 'cpu', colour: 'var(--c1)', share: 0.5 }]);
  expect(first!.told).toBe('cpu 0.25 and memory 0.75');
});

test('algorithms that compare one thing have a bar of that', () => {
  const [first, second] = rows([worker(1, {}), worker(2, {})]);
  expect(first!.parts).toEqual([{ criterion: 'score', colour: 'var(--c9)', share: 1 }]);
  expect(second!.parts[0]!.share).toBe(0.5);
});

test('the selected worker is shown wherever it stood, and who could not be chosen says why', () => {
  const workers = Array.from({ length: 20 }, (_, place) =>
    worker(place + 1, { cpu: 0.1 }, { selected: place === 14 }),
  );
  const shown = rows([
    { ...workers[0]!, reasons: [{ code: 'no_free_slot', text: 'has no free slot' }] },
    ...workers.slice(1),
  ]);
  expect(shown.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 15]);
  expect(shown[0]!.hindrance).toBe('has no free slot');
  expect(shown[7]!.isSelected).toBe(true);
});
