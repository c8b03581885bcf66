// All attempts that are over, as a table or as lines, from outside. Answers that are not JSON are compared with the
// schema of a line here.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportedColumns } from '../../src/protocol/exported-attempts.ts';
import { exportedAttemptSchema } from '../../src/protocol/schemas/evaluation.ts';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let worker: HandWorker;
let job: string;

const path = (query: string) => `/api/evaluation/attempts${query}`;
const text = async (query: string, accept?: string) => {
  const headers = accept === undefined ? {} : { accept };
  const answer = await live.call('GET', path(query), { headers });
  expect(answer.status).toBe(200);
  return answer;
};
const lines = async (query: string) =>
  (await text(`?format=ndjson${query}`)).text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => exportedAttemptSchema.parse(JSON.parse(line)));

beforeAll(async () => {
  live = await startLiveServer();
  worker = await HandWorker.register(live, { slots: 3, name: '@desk "1", left' });
  job = await live.submit({ range: { start: 0, count: 3 } }, { max_attempts: 1, name: '=1+2' });
  const given = (await worker.claim()).map(({ task_id, attempt, token }) => ({
    task_id,
    attempt,
    token,
  }));
  await worker.report({ started: given });
  await worker.report({
    results: [{ ...given[0], value: 0, run_ms: 1_250, energy_joules: 3.5 }],
    failures: [{ ...given[1], error_type: 'RangeError', error_message: 'row 1' }],
  });
});
afterAll(() => live.close());

describe('the export of attempts', () => {
  test('has a line of JSON for each attempt that is over', async () => {
    const rows = await lines(`&job_id=${job}`);
    expect(rows).toMatchObject([
      {
        job_id: job,
        job_name: '=1+2',
        task_id: `${job}.0`,
        worker_id: worker.id,
        worker_name: '@desk "1", left',
        algorithm: 'fifo',
        outcome: 'completed',
        ran_seconds: 1.25,
        energy_joules: 3.5,
        checkpoints: 0,
      },
      { index: 1, outcome: 'failed', error_type: 'RangeError', energy_joules: null },
    ]);
    expect(Object.keys(rows[0]!)).toEqual(exportedColumns);
  });

  test('is a table whose cells no spreadsheet takes for formulas', async () => {
    const { text: table, headers } = await text('?format=csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, first, second, ...rest] = table.split('\r\n');
    expect(head).toBe(exportedColumns.join(','));
    expect(first).toContain(`${job},'=1+2,${job}.0,0,1,1,${worker.id},"'@desk ""1"", left",fifo,`);
    expect(second).toContain(',failed,,RangeError,');
    expect(rest).toEqual(['']);
  });

  test.each([
    ['text/csv', 'text/csv; charset=utf-8'],
    ['application/x-ndjson', 'application/x-ndjson; charset=utf-8'],
    ['application/json;q=0.5, text/csv', 'text/csv; charset=utf-8'],
    ['application/json, text/csv;q=0.5', 'application/json; charset=utf-8'],
    ['text/csv;q=0', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
  ])('is asked for with Accept: %s', async (accept, type) => {
    const { headers } = await text('', accept);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('vary')?.toLowerCase()).toContain('accept');
  });

  test('comes by `format` whatever `Accept` says', async () => {
    const type = async (format: string, accept: string) =>
      (await text(`?format=${format}`, accept)).headers.get('content-type');
    expect(await type('csv', 'application/json')).toContain('text/csv');
    expect(await type('json', 'text/csv')).toContain('application/json');
  });

  test('is of a job, of a worker, of a time', async () => {
    const count = async (query: string) => (await lines(query)).length;
    expect(await count(`&worker_id=${worker.id}`)).toBe(2);
    expect(await count('&worker_id=nobody')).toBe(0);
    expect(await count('&until=2020-01-01T00:00:00Z')).toBe(0);
    expect(await count('&since=2999-01-01T00:00:00Z')).toBe(0);
    const empty = await text('?format=csv&worker_id=nobody');
    expect(empty.text).toBe(`${exportedColumns.join(',')}\r\n`);
  });

  test.each([
    ['job_id=none', 404, 'unknown_job'],
    ['limit=5', 422, 'limit'],
    ['since=yesterday', 422, 'since'],
    ['since=2026-05-04T10:00:00Z&until=2026-05-04T09:00:00Z', 422, 'until'],
  ])('asked for with %s is refused in a sentence', async (query, expected, word) => {
    for (const format of ['csv', 'ndjson']) {
      const { status, body } = await live.call('GET', path(`?format=${format}&${query}`));
      expect(status).toBe(expected);
      expect(JSON.stringify(body)).toContain(word);
    }
  });

  test('is refused in a form that there is not', async () => {
    const { status, body } = await live.call('GET', path('?format=xlsx'));
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain('must be json, csv or ndjson');
  });
});
