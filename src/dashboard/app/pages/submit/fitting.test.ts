import { expect, test } from 'vitest';
import type { Worker } from '../../store/cluster.ts';
import { fittingOf, suggestionsFor } from './fitting.ts';

const worker = (labels: object, more: object = {}): Worker =>
  ({
    status: 'online',
    slots: 2,
    type: 'pc',
    platform: 'linux',
    telemetry: {},
    isolation: 'ses',
    labels,
    ...more,
  }) as unknown as Worker;
const workers = [
  worker({ site: 'lab' }, { status: 'busy' }),
  worker({ site: 'lab', gpu: 'yes' }, { slots: 4 }),
  worker({}, { type: 'browser', platform: 'android' }),
  worker({ gpu: 'maybe' }, { status: 'offline' }),
];

test('devices that may run it are counted with their slots', () => {
  expect(fittingOf(workers, undefined)).toEqual({ here: 3, fit: 3, slots: 8, why: null });
  expect(fittingOf(workers, { labels: { gpu: 'yes' } })).toMatchObject({ fit: 1, slots: 4 });
});

test('where none may, it is told what is asked for, and which labels there are', () => {
  expect(fittingOf(workers, { labels: { gpu: 'maybe' } })).toEqual({
    here: 3,
    fit: 0,
    slots: 0,
    why: 'No device here has gpu=maybe. Labels here: site=lab (2), gpu=yes (1).',
  });
  expect(fittingOf([worker({})], { labels: { gpu: 'yes' } }).why).toBe(
    'No device here has gpu=yes. None has a label.',
  );
  expect(fittingOf(workers, { type: ['tv'] }).why).toBe('No device here has type tv.');
  expect(fittingOf([], { type: ['tv'] }).why).toBeNull();
});

test('of many labels the most frequent are named', () => {
  const many = Array.from({ length: 9 }, (_, i) => worker({ room: `${i}` }));
  expect(fittingOf(many, { labels: { room: 'x' } }).why).toMatch(
    /: room=0 \(1\), .*room=5 \(1\) and 3 others\.$/,
  );
});

test('what is begun is made whole, behind what is there', () => {
  expect(suggestionsFor('needs.labels', {}, workers)).toEqual(['site=lab', 'gpu=maybe', 'gpu=yes']);
  const begun = { 'needs.labels': ' site=lab,g' };
  expect(suggestionsFor('needs.labels', begun, workers)).toEqual([
    'site=lab, gpu=maybe',
    'site=lab, gpu=yes',
  ]);
  expect(suggestionsFor('needs.type', {}, workers)).toEqual(['pc', 'browser']);
  expect(suggestionsFor('needs.platform', {}, workers)).toEqual(['linux', 'android']);
  expect(suggestionsFor('name', {}, workers)).toEqual([]);
});
