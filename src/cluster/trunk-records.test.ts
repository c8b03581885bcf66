import { expect, test } from 'vitest';
import { encodeFrame, RawJson } from '../protocol/codec.ts';
import type { BareAssignMessage } from '../protocol/bare-assign.ts';
import type { CheckpointMessage, ResultMessage } from '../protocol/messages.ts';
import {
  type FromLeader,
  inRecord,
  outRecord,
  readFromLeader,
  readToLeader,
  recordOf,
  type ToLeader,
} from './trunk-records.ts';

const ref = { task_id: 'j.1', attempt: 1, token: 't' };
const bare: BareAssignMessage = {
  type: 'bare_assign',
  sequence: 3,
  jobs: {
    j: {
      key: 7,
      range_start: null,
      kind: 'javascript',
      about: {
        attempt_timeout_seconds: null,
        checkpoint_interval_seconds: 5,
      },
    },
  },
  assignments: [
    { ...ref, job_id: 'j', index: 1 },
    {
      ...ref,
      job_id: 'j',
      index: 2,
      states: [{ id: 1, sequence: 2, progress: 0.5, size_bytes: 3, sha256: 'abc' }],
    },
  ],
};

test('payloads of a worker go by as they are written', () => {
  const result: ResultMessage = {
    type: 'result',
    results: [{ ...ref, value: new RawJson('{"a": 1.00}') }],
  };
  const checkpoint: CheckpointMessage = {
    type: 'checkpoint',
    checkpoints: [
      { ...ref, sequence: 1, progress: 0.5, state: new RawJson('[1, 2]') },
      { ...ref, sequence: 2, progress: 0.5, state_gzip: 'abc', sha256: 'd', size_bytes: 1 },
    ],
  };
  const record = inRecord(4, [result, checkpoint], 100);
  expect(record).toContain('"value":{"a": 1.00}');
  expect(record).toContain('"state":[1, 2]');
  const [read] = readToLeader(JSON.parse(`[${record}]`))!;
  expect(read).toEqual([
    'in',
    4,
    100,
    [
      { type: 'result', results: [{ ...ref, value: { a: 1 } }] },
      {
        type: 'checkpoint',
        checkpoints: [
          { ...ref, sequence: 1, progress: 0.5, state: [1, 2] },
          { ...ref, sequence: 2, progress: 0.5, state_gzip: 'abc', sha256: 'd', size_bytes: 1 },
        ],
      },
    ],
  ]);
});

test.each<ToLeader>([
  ['open', 1, null, null],
  ['open', 1, 'token', '10.0.0.1'],
  ['gone', 1],
  ['in', 1, 10, { type: 'bye', reason: 'x' }],
  ['unreadable', 1, 'j.1', 'token', 'It is gone.'],
  ['damaged', 'j.1', 17],
])('%j is read as it was written', (...record) => {
  const read = record as unknown as ToLeader;
  expect(readToLeader(JSON.parse(`[${recordOf(read)}]`))).toEqual([record]);
});

test('what a leader says is read as it was written, one message or several', () => {
  const ping = { type: 'ping' } as const;
  const frame = [outRecord(1, encodeFrame([ping])), outRecord(2, encodeFrame([bare, ping]))];
  const end: FromLeader = ['end', 1, 'bye', 1008];
  expect(readFromLeader(`[${frame.join()},${recordOf(end)}]`)).toEqual([
    ['out', 1, [ping]],
    ['out', 2, [bare, ping]],
    ['end', 1, 'bye', 1008],
  ]);
});

test.each<unknown>([
  {},
  'open',
  [1],
  [['nothing', 1]],
  [['open', -1, null, null]],
  [['open', 1, 5, null]],
  [['open', 1, null]],
  [['gone', '1']],
  [['gone', 1.5]],
  [['in', 1, 'x', {}]],
  [['in', 1, 10, null]],
  [['in', 1, 10, 'text']],
  [['unreadable', 1, 'j.1', 'token', 5]],
  [['damaged', 1, 1]],
  [['gone', 1], ['gone']],
])('%j is no frame of a member that follows', (value) => {
  expect(readToLeader(value)).toBeNull();
});

test.each<unknown>([
  'no json',
  [['out', 1, { type: 'hello' }]],
  [['out', 1, { type: 'welcome' }]],
  [['out', 1, [{ type: 'ack' }]]],
  [['out', 1, [null]]],
  [['out', 'x', []]],
  [['end', 1, 'why', 'code']],
  [['end', 1, 5, 1000]],
  [['out', 1, { ...bare, sequence: -1 }]],
  [['out', 1, { ...bare, jobs: {} }]],
  [['out', 1, { ...bare, jobs: { j: null } }]],
  [['out', 1, { ...bare, jobs: { j: { key: 'x' } } }]],
  [['out', 1, { ...bare, assignments: [{ ...ref, job_id: 'j' }] }]],
  [['out', 1, { ...bare, assignments: [{ ...ref, job_id: 'j', index: 0, states: [{}] }] }]],
])('%j is no frame of a leader', (value) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  expect(readFromLeader(text)).toBeNull();
});
