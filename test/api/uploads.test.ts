import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer({ inputBytes: 70_000, inputsPerJob: 300_000, bodyBytes: 100_000 });
});
afterAll(() => live.close());

const headers = { 'content-type': 'application/x-ndjson' };
const head = JSON.stringify({ program });
const upload = (body: string | Uint8Array<ArrayBuffer>) =>
  live.call('POST', '/api/jobs', { body, headers });
const jobCount = async () => (await live.call('GET', '/api/stats')).body.total_jobs as number;

describe('what is wrong with a line is told with its number', () => {
  test.each([
    ['nothing at all', '', 'empty'],
    ['an empty first line', `\n${head}\n1`, 'Line 1 is empty'],
    ['a first line that is not JSON', 'job\n1', 'Line 1 is not valid JSON'],
    [
      'a job with inputs in the first line',
      `${JSON.stringify({ program, inputs: [1] })}\n1`,
      '"inputs"',
    ],
    ['a job without a program', '{}\n1', 'program'],
    ['an unknown field', `${JSON.stringify({ program, x: 1 })}\n1`, '"x"'],
    ['no input', head, 'There is no input'],
    ['no input but empty lines', `${head}\n\n\n`, 'There is no input'],
    ['an input that is not JSON', `${head}\n1\n2\nthree\n4`, 'Line 4 is not valid JSON'],
    ['a line in the middle that is empty', `${head}\n1\n\n3`, 'Line 3 is empty'],
    ['two values in a line', `${head}\n1 2`, 'Line 2 is not valid JSON'],
    ['a number that is none', `${head}\n1\n[1e999]`, 'Line 3 is out of range'],
    ['too deep nesting', `${head}\n${'['.repeat(3000)}${']'.repeat(3000)}`, 'Line 2 is nested'],
    [
      'task priorities for other inputs',
      `${JSON.stringify({ program, task_priorities: [1] })}\n1\n2`,
      'task_priorities',
    ],
    ['more inputs than a job may have', `${head}\n${'1\n'.repeat(300_001)}`, 'inputs_per_job'],
  ])('%s', async (_name, body, named) => {
    const before = await jobCount();
    const answer = await upload(body);
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(answer.body.detail).toContain(named);
    expect(await jobCount()).toBe(before);
  });

  test('bytes that are not UTF-8', async () => {
    const body = new Uint8Array(
      Buffer.concat([Buffer.from(`${head}\n"`), Buffer.from([0xff]), Buffer.from('"\n')]),
    );
    const { status, body: answer } = await upload(body);
    expect([status, answer.detail]).toEqual([422, expect.stringContaining('not UTF-8')]);
  });

  test.each([
    ['an input', `${head}\n1\n"${'x'.repeat(80_000)}"\n2`, 'Line 3', 'input_bytes'],
    ['an input that never ends', `${head}\n"${'x'.repeat(3_000_000)}`, 'Line 2', 'input_bytes'],
    ['the job', `{"x":"${'x'.repeat(120_000)}"}\n1`, 'Line 1', 'body_bytes'],
  ])('a line over its limit is a 413: %s', async (_name, body, line, limit) => {
    const { status, body: answer } = await upload(body);
    expect([status, answer.code]).toEqual([413, 'payload_too_large']);
    expect(answer.detail).toContain(line);
    expect(answer.detail).toContain(limit);
  });
});

test('the text of a line is kept as it is', async () => {
  const id = (
    await upload(
      `${JSON.stringify({ program, name: 'kept' })}\n  {"b":1.50, "a":"\\u00e9ü"}  \r\n12345678901234567890\n`,
    )
  ).body.id;
  const worker = await live.worker(() => undefined, { slots: 2 });
  const assigned = await eventually(
    async () =>
      worker.received.flatMap((message) => (message.type === 'assign' ? message.assignments : [])),
    (tasks) => tasks.length === 2,
  );
  expect(assigned.find(({ index }) => index === 0)).toMatchObject({
    job_id: id,
    input: { b: 1.5, a: 'éü' },
  });
  worker.end();
});

test('"read as a stream in bounded memory": 200 000 lines, slowly fed, in pieces of any size', async () => {
  const lines = 200_000;
  const line = `{"text":"${'é'.repeat(40)}","n":`;
  let sent = 0;
  const pieces = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 0) controller.enqueue(Buffer.from(`${head}\n`));
      let text = '';
      for (let i = 0; i < 997 && sent < lines; i++) text += `${line}${sent++}}\n`;
      const bytes = Buffer.from(text);
      // Cut in the middle of a character more often than not.
      const cut = 1 + (sent % (bytes.length - 1));
      controller.enqueue(bytes.subarray(0, cut));
      controller.enqueue(bytes.subarray(cut));
      if (sent === lines) controller.close();
    },
  });
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().external + process.memoryUsage().heapUsed);
  }, 20);
  const before = process.memoryUsage().external + process.memoryUsage().heapUsed;
  const options = { method: 'POST', headers, body: pieces, duplex: 'half' } as const;
  const response = await fetch(`${live.url}/api/jobs`, options);
  clearInterval(watch);
  expect(response.status).toBe(201);
  const job = (await response.json()) as { id: string; task_count: number };
  expect(job.task_count).toBe(lines);
  // 20 MB of inputs go by; sender, receiver and garbage share this process.
  expect(most - before).toBeLessThan(150 * 1024 * 1024);
});

test('"the job becomes visible as a whole or not at all": an upload that breaks off leaves nothing', async () => {
  const before = await jobCount();
  await new Promise<void>((resolve) => {
    const half = request(`${live.url}/api/jobs`, { method: 'POST', headers });
    half.on('error', () => resolve());
    half.write(`${head}\n${'1\n'.repeat(50_000)}`);
    setTimeout(() => half.destroy(new Error('gone')), 100);
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await jobCount()).toBe(before);
  expect((await upload(`${head}\n1\n`)).status).toBe(201);
});

test('a refusal in the middle of a long upload reaches its sender', async () => {
  const body = `${head}\nbroken\n${'1\n'.repeat(250_000)}`;
  const answer = await upload(body);
  expect(answer.body.detail).toContain('Line 2');
});
