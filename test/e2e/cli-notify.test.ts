// Being told of the end of a job, as a person uses it: `--notify`, `--then`, `muster wait`, and a coordinator
// that is killed between an end and its message.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type CliEnd, runCli, serveCli, type ServingCli } from '../support/cli-process.ts';

const serveFlags = ['--notify-allow', '127.0.0.1', '--data-dir', 'data'];

let folder: string;
let serving: ServingCli;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-notify-'));
  writeFileSync(join(folder, 'square.js'), 'export default (n) => n * n;\n');
  writeFileSync(join(folder, 'secret.txt'), 'sixteen-letters!\n');
  serving = await serveCli(serveFlags, { folder });
});

afterAll(async () => {
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

function muster(args: readonly string[], more: Record<string, string> = {}): Promise<CliEnd> {
  return runCli(args, { folder, environment: { MUSTER_URL: serving.url, ...more } });
}

/** No worker takes it: it ends when it is cancelled. */
async function submit(...args: readonly string[]): Promise<string> {
  const end = await muster(['submit', 'square.js', '--range', '0:2', ...args]);
  expect(end.code, end.stderr).toBe(0);
  return end.stdout.trim();
}

async function toldOf(job: string): Promise<string | undefined> {
  const { stdout } = await muster(['job', job]);
  return /^(?:told|will tell) +(.*)$/m.exec(stdout)?.[1];
}

/** Answers with the status; null: never. */
async function startReceiver(statusOf: () => number | null) {
  const ids: unknown[] = [];
  let hear: () => void = () => undefined;
  const server = createServer((request, response) => {
    ids.push(request.headers['webhook-id']);
    const status = statusOf();
    if (status !== null) response.writeHead(status).end();
    hear();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    ids,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    heard: async (count: number): Promise<void> => {
      while (ids.length < count) await new Promise<void>((resolve) => (hear = resolve));
    },
  };
}

async function eventually(ask: () => Promise<string | undefined>, wanted: RegExp): Promise<string> {
  for (;;) {
    const said = (await ask()) ?? '';
    if (wanted.test(said)) return said;
  }
}

describe('an address', () => {
  test('is told, and `muster job` says so', async () => {
    const { url, ids } = await startReceiver(() => 204);
    const job = await submit('--notify', url, '--notify-secret-file', 'secret.txt');
    expect(await toldOf(job)).toBe(`${url} when it is completed, failed, cancelled`);
    await muster(['cancel', job]);
    const told = await eventually(() => toldOf(job), /delivered/);
    expect(told).toMatch(/: cancelled, delivered .* after its end$/);
    expect(ids).toHaveLength(1);
    const { stdout } = await muster(['job', job, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ notify: [{ url, signed: true }] });
    expect(stdout).not.toContain('sixteen');
  });

  test('that fails is told again later, and `muster job` says when', async () => {
    const { url } = await startReceiver(() => 503);
    const job = await submit('--notify', url, '--notify-on', 'cancelled');
    await muster(['cancel', job]);
    const told = await eventually(() => toldOf(job), /attempt/);
    expect(told).toMatch(/: not yet: 1 attempt, last answer: 503, next in \d+ s$/);
  });

  test('that wants no more is given up, and the log says so', async () => {
    const { url } = await startReceiver(() => 410);
    const job = await submit('--notify', url);
    await muster(['cancel', job]);
    const told = await eventually(() => toldOf(job), /given/);
    expect(told).toBe(`${url}: given up after 1 attempt, last answer: 410`);
    await eventually(async () => serving.said(), /127\.0\.0\.1 is not told any more that job/);
  });

  test('is told by the next coordinator when this one is killed before it has an answer', async () => {
    const { url, ids, heard } = await startReceiver(() => (ids.length === 1 ? null : 200));
    const job = await submit('--notify', url);
    await muster(['cancel', job]);
    await heard(1);
    const gone = once(serving.child, 'exit');
    serving.child.kill('SIGKILL');
    await gone;
    serving = await serveCli(serveFlags, { folder });
    await heard(2);
    expect(ids[1]).toBe(ids[0]);
    await eventually(() => toldOf(job), /cancelled, delivered/);
  });

  test.each([
    [['--notify', 'http://10.0.0.1/'], 4, 'leads to an address that is not public'],
    [['--notify', 'http://169.254.169.254/'], 4, '(--notify-allow 169.254.169.254)'],
    [['--notify', 'http://127.0.0.1/', '--notify-on', 'done'], 2, '"done" is not an end of a job'],
    [['--notify', 'http://127.0.0.1/', '--notify-secret-file', 'none'], 2, 'none cannot be read'],
    [['--notify-on', 'failed'], 2, 'Whom to tell is missing.'],
  ])('%j ends with a sentence', async (args, code, sentence) => {
    const end = await muster(['submit', 'square.js', '--range', '0:1', ...args]);
    expect(end).toMatchObject({ code, stdout: '' });
    expect(end.stderr).toContain(sentence);
  });
});

describe('a command of the person', () => {
  const then = 'echo "$MUSTER_JOB_NAME: $MUSTER_JOB_STATUS" > told.txt; echo said';
  const told = () => readFileSync(join(folder, 'told.txt'), 'utf8');

  test('runs when the job has ended for which a person waits, and the exit code is that of the job', async () => {
    const job = await submit('--name', '$(touch owned); "x');
    const waiting = muster(['wait', job, '--then', then, '--json']);
    await muster(['cancel', job]);
    const end = await waiting;
    expect(end).toMatchObject({ code: 1 });
    expect(JSON.parse(end.stdout)).toMatchObject({ id: job, status: 'cancelled' });
    expect(end.stderr).toMatch(/^said\ncancelled: 0 failed, 2 cancelled of 2 tasks in /);
    expect(told()).toBe('$(touch owned); "x: cancelled\n');
    expect(() => readFileSync(join(folder, 'owned'))).toThrow('ENOENT');
  });

  test('runs after the results were followed, and what it prints is not among them', async () => {
    const job = await submit('--name', 'followed');
    await muster(['cancel', job]);
    const end = await muster(['results', job, '--then', `${then}; exit 3`]);
    expect(end.code).toBe(1);
    expect(
      end.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual(['cancelled', 'cancelled']);
    expect(end.stderr).toContain('said\nThe command of --then ended with 3.\n');
    expect(told()).toBe('followed: cancelled\n');
  });
});
