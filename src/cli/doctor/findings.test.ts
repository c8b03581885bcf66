import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkClock } from './check-clock.ts';
import {
  askCoordinator,
  checkAdminToken,
  checkCoordinator,
  checkLastLook,
  checkOffset,
  checkPort,
  checkVersions,
} from './check-coordinator.ts';
import { checkDurableWrite, judgeFree } from './check-disk.ts';
import { checkNode } from './check-node.ts';
import { judgeWalls, wallFindings } from './check-sandbox.ts';

test.each([
  ['v20.19.0', 'problem'],
  ['v24.1.0', 'warning'],
  ['v26.10.0', 'ok'],
])('Node %s is %s', (version, status) => {
  expect(checkNode(version)).toMatchObject({ status });
});

describe('the clock', () => {
  const clocks = (start: number, step: number) => {
    let passed = 0;
    return {
      wall: () => start + passed + (passed > 0 ? step : 0),
      monotonic: () => passed,
      pass: (ms: number) => Promise.resolve((passed += ms)),
    };
  };
  const now = Date.UTC(2026, 5, 1);

  test.each([
    ['ok', 'runs evenly', now, 10],
    ['warning', 'was set by -3600000 ms', now, -3_600_000],
    ['problem', 'it is not 1970-01-01', 0, 0],
  ])('is %s: %s', async (status, finding, start, step) => {
    const found = await checkClock(clocks(start, step));
    expect(found).toMatchObject({ status, finding: expect.stringContaining(finding) as string });
  });
});

describe('the coordinator', () => {
  const url = 'http://127.0.0.1:8000';
  const answering = (body: string, init: ResponseInit) => () =>
    Promise.resolve(new Response(body, init));

  test('is ready, and its clock is compared with ours', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-02T03:04:05.500Z') });
    onTestFinished(() => void vi.useRealTimers());
    const date = new Date(Date.now() + 60_000).toUTCString();
    const ask = answering('{"status":"ready"}', { headers: { date } });
    const answer = await askCoordinator(url, ask);
    expect(checkCoordinator(url, answer)).toMatchObject({ status: 'ok' });
    expect(checkOffset(answer)?.finding).toMatch(/is 60 s ahead of this one/);
  });

  test.each([
    ['ok', 'looked at 1 value at 2026-10-09 15:50:03: none is damaged', 0, 0],
    ['ok', 'none is damaged; without a hash to compare with: 1', 1, 0],
    ['problem', 'looked at 1 value at 2026-10-09 15:50:03: 1 damaged', 0, 1],
  ])('has looked at its database: %s, %s', async (status, finding, unverified, damaged) => {
    vi.stubEnv('TZ', 'Asia/Kolkata');
    onTestFinished(() => void vi.unstubAllEnvs());
    const checked_at = '2026-10-09T10:20:03.119Z';
    const store = { checked_at, values: 1, unverified, damaged };
    const answer = await askCoordinator(
      url,
      answering(JSON.stringify({ status: 'ready', store }), {}),
    );
    expect(checkLastLook(answer)).toMatchObject({
      status,
      finding: expect.stringContaining(finding) as string,
    });
  });

  test.each([
    ['ok', 'everywhere 0.2.0', '0.2.0', ['0.2.0', '0.2.0']],
    ['warning', 'the coordinator has version 0.2.0, this program 0.1.0', '0.1.0', []],
    [
      'warning',
      '2 workers of another version than 0.2.0: w-1 (0.1.0), w-2 (does not tell)',
      '0.2.0',
      ['0.2.0', '0.1.0', null],
    ],
    [
      'warning',
      '2 workers of another commit than 0.2.0: w-0 (0.2.0+g1a2b3c4), w-1 (0.2.0+g5e6f708)',
      '0.2.0',
      ['0.2.0+g1a2b3c4', '0.2.0+g5e6f708', '0.2.0'],
    ],
    [
      'warning',
      '2 workers of another version than 0.2.0: w-0 (0.2.0+g1a2b3c4), w-1 (0.3.0)',
      '0.2.0',
      ['0.2.0+g1a2b3c4', '0.3.0'],
    ],
  ])('tells versions: %s, %s', async (status, finding, own, versions) => {
    const workers = versions.map((version, i) => ({ name: `w-${i}`, status: 'online', version }));
    const away = { name: 'w-9', status: 'offline', version: '0.0.1' };
    const ask = (address: string) =>
      address.endsWith('/api/workers')
        ? answering(JSON.stringify([...workers, away]), {})()
        : answering('{"status":"ready","version":"0.2.0"}', {})();
    const answer = await askCoordinator(url, ask);
    expect(checkVersions(own, answer)).toMatchObject({ status, finding });
  });

  test('of another commit is no reason to upgrade', async () => {
    const answer = await askCoordinator(
      url,
      answering('{"status":"ready","version":"0.2.0+g1a2b3c4"}', {}),
    );
    expect(checkVersions('0.2.0+g5e6f708', answer)).toEqual({
      check: 'versions',
      status: 'warning',
      finding: 'the coordinator has version 0.2.0+g1a2b3c4, this program 0.2.0+g5e6f708',
      advice: expect.stringContaining('One release, two commits: they work together.'),
    });
  });

  test('of before versions were told is not judged', async () => {
    const answer = await askCoordinator(url, answering('{"status":"ready"}', {}));
    expect(checkVersions('0.2.0', answer)).toBeUndefined();
  });

  test('may not have checked its database yet', async () => {
    const answer = await askCoordinator(url, answering('{"status":"ready"}', {}));
    expect(answer).toBeDefined();
    expect(checkLastLook(answer)).toBeUndefined();
  });

  test.each([
    ['holds the request', () => Promise.reject(new DOMException('timed out', 'TimeoutError'))],
    ['fails', () => answering('{"code":"storage_failed"}', { status: 500 })()],
  ])('is there, though it %s for which it needs its database', async (_what, read) => {
    const ask = (address: string) =>
      address.endsWith('/api/workers') ? read() : answering('{"status":"ready"}', {})();
    expect(checkCoordinator(url, await askCoordinator(url, ask))).toMatchObject({
      status: 'warning',
      finding: `the one at ${url} runs, but does not tell what is in its database`,
    });
  });

  test('may be stopping', async () => {
    const ask = answering('{"status":"stopping"}', { status: 503 });
    expect(checkCoordinator(url, await askCoordinator(url, ask))).toMatchObject({
      status: 'warning',
    });
  });

  test.each([
    ['another server', answering('<html>', {})],
    ['nobody', () => Promise.reject(new TypeError('fetch failed'))],
  ])('is not %s', async (_who, ask) => {
    const answer = await askCoordinator(url, ask);
    expect(answer).toBeUndefined();
    expect(checkCoordinator(url, answer)).toMatchObject({ status: 'warning' });
    expect(checkOffset(answer)).toBeUndefined();
  });
});

test('a port that another program has is a problem, one of a coordinator is not', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const check = (isOurs: boolean) => checkPort('127.0.0.1', port, () => Promise.resolve(isOurs));
  expect(await check(false)).toMatchObject({ status: 'problem' });
  expect(await check(true)).toMatchObject({ status: 'ok' });
  await new Promise((resolve) => server.close(resolve));
  expect(await check(false)).toMatchObject({
    status: 'ok',
    finding: `${port} on 127.0.0.1 is free`,
  });
});

test.each([
  [50, 'problem', '50 MB'],
  [900, 'warning', '900 MB'],
  [20_480, 'ok', '20 GB'],
])('%d MB of free disk is %s', (freeMb, status, words) => {
  expect(judgeFree(freeMb, 'data')).toMatchObject({ status, finding: `${words} free at data` });
});

test('less free disk than the floor is a problem', () => {
  expect(judgeFree(2_000, 'data', 3_000)).toMatchObject({
    status: 'problem',
    advice: expect.stringMatching(/^Less than --min-free-disk-mb: a coordinator refuses new jobs/),
  });
  expect(judgeFree(3_000, 'data', 3_000).status).toBe('ok');
});

test('only a Linux machine is asked for bubblewrap', () => {
  const ses = { isolation: 'ses', endsWithAgent: true };
  expect(judgeWalls({ isolation: 'ses+bubblewrap', endsWithAgent: true }, 'linux').status).toBe(
    'ok',
  );
  expect(judgeWalls(ses, 'darwin').status).toBe('ok');
  expect(judgeWalls(ses, 'linux').advice).toContain('bubblewrap');
  expect(judgeWalls({ ...ses, endsWithAgent: false }, 'linux').finding).toContain('outlives');
});

test('the walls are listed one by one, with what a missing one needs', () => {
  const wall = (id: 'limits' | 'calls' | 'realm', isInForce: boolean) => ({
    id,
    holds: `holds by ${id}`,
    needs: `${id} to be there.`,
    isInForce,
  });
  const walls = [wall('realm', true), wall('limits', false), wall('calls', false)];
  expect(wallFindings({ isolation: 'ses+bubblewrap', walls })).toEqual([
    { check: 'wall realm', status: 'ok', finding: 'holds by realm', advice: null },
    {
      check: 'wall limits',
      status: 'warning',
      finding: 'not there: holds by limits',
      advice: 'It needs limits to be there.',
    },
    {
      check: 'wall calls',
      status: 'warning',
      finding: 'not there: holds by calls',
      advice: 'It needs calls to be there.',
    },
  ]);
  const told = wallFindings({ isolation: 'ses', walls }).map(({ check }) => check);
  expect(told).toEqual(['wall realm', 'wall limits']);
});

test.runIf(process.platform === 'linux')(
  'a disk that takes nothing more is a problem',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-full-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    // Writes to it fail as on a disk that is full.
    await symlink('/dev/full', join(folder, `.muster-doctor-${process.pid}`));
    expect(checkDurableWrite(folder)).toEqual({
      check: 'disk speed',
      status: 'problem',
      finding: `nothing can be written: no space is left at ${folder}`,
      advice: expect.stringContaining('Make room on it, outside of the database'),
    });
  },
);

test('a coordinator of this folder that asks for a token which is not there is a warning', async () => {
  const ask = async (address: string) =>
    Response.json({ status: 'ok' }, { status: address.endsWith('/workers') ? 401 : 200 });
  const answer = await askCoordinator('http://127.0.0.1:8000', ask);
  const lost = { sentence: '', finding: 'not there', advice: 'Make one.' };
  expect(checkAdminToken(answer, 'http://127.0.0.1:8000', lost)).toMatchObject({
    status: 'warning',
    advice: 'Make one.',
  });
  expect(checkAdminToken(answer, 'http://127.0.0.1:8001', lost)).toBeUndefined();
  expect(checkAdminToken(answer, undefined, lost)).toBeUndefined();
  expect(checkAdminToken(answer, 'http://127.0.0.1:8000', undefined)).toBeUndefined();
});
