import { describe, expect, test } from 'vitest';
import type { Worker } from '../../store/cluster.ts';
import { aWorker } from './testing.ts';
import { byName, chipsOf, groupsOf, labelsOf, matching, meanLoad, sumsOf } from './worker-list.ts';

const everything = { state: null, kind: null, labels: [], find: '' } as const;
const series = (cpu: readonly (number | null)[]) => ({
  series: { until: '2026-03-02T14:00:00.000Z', seconds_per_point: 5, cpu },
});
const named = (workers: readonly Worker[]) => workers.map(({ name }) => name);

describe('the list of workers', () => {
  test('numbers in names count as numbers', () => {
    const workers = ['desk-10', 'desk-2', 'Anna'].map((name) => aWorker({ name }));
    expect(named(byName(workers))).toEqual(['Anna', 'desk-2', 'desk-10']);
  });

  test('the order follows names that change, and rows that change behind the same names', () => {
    const [one, two] = [aWorker({ name: 'b' }), aWorker({ name: 'c' })];
    expect(byName([two, one])).toEqual([one, two]);
    const now = { ...one, status: 'busy' as const };
    expect(byName([two, now])).toEqual([now, two]);
    expect(named(byName([two, { ...one, name: 'd' }]))).toEqual(['c', 'd']);
    expect(byName([two])).toEqual([two]);
  });

  test('state, kind and text narrow it together', () => {
    const workers = [
      aWorker({ name: 'atlas', status: 'busy' }),
      aWorker({ name: 'Pixel', type: 'android_node', status: 'busy' }),
      aWorker({ name: 'Moto', type: 'android_node' }),
    ];
    expect(named(matching(workers, { ...everything, state: 'busy', kind: 'phone' }))).toEqual([
      'Pixel',
    ]);
    expect(named(matching(workers, { ...everything, find: ' MOT' }))).toEqual(['Moto']);
  });

  test('a label is found as it is written', () => {
    const workers = [aWorker({ labels: { room: 'lab' } }), aWorker({ name: 'other' })];
    expect(matching(workers, { ...everything, find: 'room=lab' })).toHaveLength(1);
  });

  test('labels narrow it to those that have all of them, whole', () => {
    const workers = [
      aWorker({ name: 'a', labels: { site: 'lab', gpu: 'yes' } }),
      aWorker({ name: 'b', labels: { site: 'lab2' } }),
      aWorker({ name: 'c', labels: { site: 'lab' } }),
    ];
    const of = (labels: readonly string[]) => named(matching(workers, { ...everything, labels }));
    expect(of(['site=lab'])).toEqual(['a', 'c']);
    expect(of(['site=lab', 'gpu=yes'])).toEqual(['a']);
  });

  test('a chip that is chosen stays when nothing of it is left', () => {
    const { states, kinds } = chipsOf([aWorker()], { ...everything, state: 'draining' });
    expect(states).toEqual([
      { state: 'online', count: 1 },
      { state: 'draining', count: 0 },
    ]);
    expect(kinds).toEqual([{ kind: 'pc', count: 1 }]);
  });
});

describe('groups', () => {
  const workers = [
    aWorker({ id: '1', type: 'browser', labels: { room: 'b' } }),
    aWorker({ id: '2', labels: { room: 'a' } }),
    aWorker({ id: '3' }),
  ];

  test('kinds stand in their own order', () => {
    expect(groupsOf(workers, 'kind').map(({ name }) => name)).toEqual(['PCs', 'Browser tabs']);
  });

  test('those without a label come last', () => {
    expect(groupsOf(workers, 'label:room').map(({ name }) => name)).toEqual([
      'room: a',
      'room: b',
      'Without room',
    ]);
    expect(labelsOf(workers)).toEqual(['room']);
  });

  test('ungrouped they are one', () => {
    expect(groupsOf(workers, 'none')).toEqual([{ key: '', name: '', workers }]);
  });
});

describe('sums', () => {
  test('slots of those that are away, or wait, are not there', () => {
    const sums = sumsOf([
      aWorker({ slots: 8, active_tasks: 5, total_completed: 10 }),
      aWorker({ slots: 4, status: 'offline', total_completed: 7, total_failed: 1 }),
      aWorker({ slots: 2, status: 'waiting' }),
    ]);
    expect(sums).toMatchObject({ workers: 3, here: 1, slots: 8, taken: 5 });
    expect(sums).toMatchObject({ completed: 17, failed: 1 });
  });

  test('a worker that has more than its slots takes no more than them', () => {
    expect(sumsOf([aWorker({ slots: 2, active_tasks: 3 })]).taken).toBe(2);
  });

  test('the mean load leaves out who does not tell it, and ends at the same time for all', () => {
    const workers = [aWorker(series([10, 20, null])), aWorker(series([40, null])), aWorker()];
    expect(meanLoad(workers)).toEqual([10, 30, null]);
  });
});
