// Stacks of errors and what tasks print, over the interface. Every answer is held against the published
// document by `call`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventReader } from './support/event-reader.ts';
import { HandWorker } from './support/hand-worker.ts';
import { eventually, type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let worker: HandWorker;
beforeAll(async () => {
  live = await startLiveServer();
  worker = await HandWorker.register(live, {});
});
afterAll(() => live.close());

const stack = 'at total (program:3:14)\nat program:9:1';
const error = { error_type: 'TypeError', error_message: 'no' };

async function submit(rest: object = {}): Promise<string> {
  const json = { program: { kind: 'javascript', source: 'é;\n' }, inputs: [1], ...rest };
  return (await live.call('POST', '/api/jobs', { json })).body.id as string;
}

/** Takes the next attempt and reports on it. */
async function report(kind: 'failures' | 'results', entry: object): Promise<Loose> {
  const [assignment] = await worker.claim();
  const { task_id, attempt, token } = assignment;
  const answer = await worker.report({ [kind]: [{ task_id, attempt, token, ...entry }] });
  expect(answer['rejected']).toEqual([]);
  return assignment;
}

const task = async (job: string): Promise<Loose> =>
  (await live.call('GET', `/api/jobs/${job}/tasks/0`)).body;
const output = (job: string, query = '') =>
  live.call('GET', `/api/jobs/${job}/tasks/0/output${query}`);

describe('a failure with a stack and with what was printed', () => {
  test('shows both by attempt; the task has the stack of the newest', async () => {
    const job = await submit({ max_attempts: 2, retry_delay_seconds: 0 });
    await report('failures', { ...error, error_stack: 'at first (program:1:1)', output: 'one\n' });
    await report('failures', { ...error, error_stack: stack, output: 'two\u0000\u001b[31m ü\n' });
    const { attempts, error: failed } = await task(job);
    expect(attempts.map((each: Loose) => [each.error.stack, each.output_available])).toEqual([
      ['at first (program:1:1)', true],
      [stack, true],
    ]);
    expect(failed).toEqual({ type: 'TypeError', message: 'no', stack });
    const newest = await output(job);
    expect([newest.status, newest.text]).toEqual([200, 'two\u0000\u001b[31m ü\n']);
    expect(newest.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(newest.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await output(job, '?attempt=1')).text).toBe('one\n');
  });

  test('is gone with its job', async () => {
    const job = await submit({ max_attempts: 1 });
    await report('failures', { ...error, error_stack: stack, output: 'one\n' });
    await live.call('DELETE', `/api/jobs/${job}`);
    expect((await output(job)).body.code).toBe('unknown_job');
  });

  test('from a worker that knows neither, nothing is shown', async () => {
    const job = await submit({ max_attempts: 1 });
    await report('failures', error);
    const { attempts, error: failed } = await task(job);
    expect(failed).toEqual({ type: 'TypeError', message: 'no' });
    expect(attempts[0]).not.toHaveProperty('output_available');
    expect((await output(job)).body).toMatchObject({ code: 'no_output' });
  });
});

describe('keep_output', () => {
  test.each([
    [undefined, undefined, 404, 200],
    ['on_failure', undefined, 404, 200],
    ['always', 'always', 200, 200],
    ['never', 'never', 404, 404],
  ])(
    '%s: told to workers, and held to whatever they send',
    async (given, told, ofResult, ofFailure) => {
      const options = given === undefined ? {} : { keep_output: given };
      const first = await submit(options);
      const assignment = await report('results', { value: 1, output: 'printed' });
      expect(assignment['keep_output']).toBe(told);
      expect((await output(first)).status).toBe(ofResult);
      const second = await submit({ ...options, max_attempts: 1 });
      await report('failures', { ...error, output: 'printed' });
      expect((await output(second)).status).toBe(ofFailure);
    },
  );

  test('is one of its words', async () => {
    const json = {
      program: { kind: 'javascript', source: 'x' },
      inputs: [1],
      keep_output: 'maybe',
    };
    const { status, body } = await live.call('POST', '/api/jobs', { json });
    expect([status, body.code]).toEqual([422, 'validation_failed']);
  });
});

describe('live_output', () => {
  async function running(options: object) {
    const job = await submit(options);
    const [assignment] = await worker.claim();
    const { task_id, attempt, token } = assignment;
    return { job, ref: { task_id, attempt, token }, assignment };
  }

  /** What is told of a job until it has ended. */
  async function told(reader: EventReader): Promise<Loose[]> {
    await eventually(
      () => Promise.resolve(reader.events),
      (events) => events.some(({ type }) => type === 'job_finished'),
    );
    return reader.events.map(({ data }) => JSON.parse(data));
  }

  test('is told to workers; what they send comes as events of the job, before its end', async () => {
    const { job, ref, assignment } = await running({ live_output: true });
    expect(assignment['live_output']).toBe(true);
    const reader = new EventReader(live.url, `?job_id=${job}`);
    await reader.opened;
    const nasty = 'one\n\u001b[2J\u2028';
    const first = await worker.report({ outputs: [{ ...ref, text: nasty }] });
    expect(first).toEqual({
      accepted: [{ task_id: ref.task_id, attempt: 1, kind: 'output' }],
      rejected: [],
    });
    await worker.report({
      outputs: [{ ...ref, text: 'two', left_out: 7 }],
      results: [{ ...ref, value: 1 }],
    });
    const events = await told(reader);
    await reader.cut();
    expect(events.map(({ type }) => type)).toEqual([
      'output',
      'output',
      'task_completed',
      'job_finished',
    ]);
    const about = { job_id: job, task_id: ref.task_id, index: 0, attempt: 1, worker_id: worker.id };
    expect(events[0]).toMatchObject({ ...about, text: nasty, left_out: 0 });
    expect(events[1]).toMatchObject({ ...about, text: 'two', left_out: 7 });
    // Nothing of it is stored.
    expect((await output(job)).body.code).toBe('no_output');
  });

  test('of a job that did not ask, nothing is told, whatever a worker sends', async () => {
    const { job, ref, assignment } = await running({});
    expect(assignment).not.toHaveProperty('live_output');
    const reader = new EventReader(live.url, `?job_id=${job}`);
    await reader.opened;
    await worker.report({ outputs: [{ ...ref, text: 'x' }], results: [{ ...ref, value: 1 }] });
    expect((await told(reader)).map(({ type }) => type)).toEqual([
      'task_completed',
      'job_finished',
    ]);
    await reader.cut();
  });

  test('is taken from the attempt that holds the task alone', async () => {
    const { ref } = await running({ live_output: true });
    const other = await HandWorker.register(live, {});
    const text = 'x';
    const outputs = [
      { ...ref, text, token: 'guessed' },
      { ...ref, text, attempt: 2 },
      { ...ref, text, task_id: 'none' },
      { ...ref, text: 7 },
      { ...ref, text, left_out: -1 },
    ];
    const codes = ({ rejected }: Loose) => rejected.map(({ code }: Loose) => code);
    expect(codes(await worker.report({ outputs })).toSorted()).toEqual([
      'invalid_report',
      'invalid_report',
      'not_yours',
      'stale_attempt',
      'stale_attempt',
    ]);
    expect(codes(await other.report({ outputs: [{ ...ref, text }] }))).toEqual(['stale_attempt']);
    await worker.report({ results: [{ ...ref, value: 1 }] });
    expect(codes(await worker.report({ outputs: [{ ...ref, text }] }))).toEqual(['stale_attempt']);
  });
});

test('the output of no job, no task and no attempt', async () => {
  const job = await submit();
  await report('results', { value: 1 });
  const asked = async (path: string) => (await live.call('GET', `/api/jobs/${path}`)).body.code;
  expect(await asked('none/tasks/0/output')).toBe('unknown_job');
  expect(await asked(`${job}/tasks/1/output`)).toBe('unknown_task');
  expect(await asked(`${job}/tasks/x/output`)).toBe('unknown_task');
  expect(await asked(`${job}/tasks/0/output?attempt=9`)).toBe('no_output');
  expect(await asked(`${job}/tasks/0/output?attempt=0`)).toBe('validation_failed');
  expect(await asked('none/program')).toBe('unknown_job');
});

test('the program of a job comes as it was submitted; workers get it without its source map', async () => {
  const map = '//# sourceMappingURL=data:application/json;base64,e30=\n';
  const source = `export default () => 'ü';\n`;
  const job = await submit({ program: { kind: 'javascript', source: source + map } });
  const found = await live.call('GET', `/api/jobs/${job}/program`);
  expect([found.status, found.text]).toEqual([200, source + map]);
  expect(found.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  const { program } = await report('results', { value: 1 });
  expect(program.source).toBe(source);
});

test.each([{ error_stack: 7 }, { output: ['x'] }])('%j is refused alone', async (wrong) => {
  const job = await submit();
  const [assignment] = await worker.claim();
  const { task_id, attempt, token } = assignment;
  const entry = { task_id, attempt, token, ...error };
  const { rejected } = await worker.report({ failures: [{ ...entry, ...wrong }] });
  expect(rejected).toMatchObject([{ task_id, attempt, code: 'invalid_report' }]);
  expect((await task(job))['status']).toBe('assigned');
  await worker.report({ failures: [{ ...entry, retryable: false }] });
});
