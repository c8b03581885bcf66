// A file system of three megabytes that is full, in a mount namespace of its own: what is said to the
// client, by the coordinator at its end, and by the doctor who is asked then.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { servedUrl } from '../support/cluster.ts';
import { MusterProcess } from '../support/muster-process.ts';

const unshare = ['unshare', '--user', '--map-root-user', '--mount'];
const mount = 'mount -t tmpfs -o size=$SIZE tmpfs disk';
const canMount = spawnSync('unshare', [
  ...unshare.slice(1),
  'mount',
  '-t',
  'tmpfs',
  'tmpfs',
  '/tmp',
]);
const untried = canMount.status === 0 ? '' : ' (untried: nothing can be mounted here)';

/** So much stays free. */
const small = 'head -c 2300k /dev/zero > disk/filling';
const full = 'cat /dev/zero > disk/filling || true';

test.runIf(untried === '')(
  `a submission that meets a full disk hears so, and the coordinator ends with 6${untried}`,
  async () => {
    const folder = makeFolder();
    const around = onDisk(small);
    const floor = ['--min-free-disk-mb', '0'];
    const coordinator = new MusterProcess(
      ['serve', '--data-dir', 'disk', '--port', '0', ...floor],
      { folder, around },
    );
    const url = await coordinator.line(servedUrl);
    let answer = { status: 201, body: {} };
    // A busy machine may make it refuse for want of time meanwhile.
    while (answer.status === 201 || answer.status === 503) answer = await submit(url);
    expect(answer).toEqual({
      status: 500,
      body: {
        code: 'storage_failed',
        detail:
          'The disk of the coordinator is full; nothing of this request was kept. ' +
          'Free some space there, then try again.',
      },
    });
    expect(await coordinator.ended).toEqual({ code: 6, signal: null });
    const path = join(folder, 'disk', 'muster.db');
    expect(coordinator.stderr).toContain(
      `The coordinator cannot go on: The disk is full: no space is left for the database ${path}.`,
    );
    expect(coordinator.stderr).toContain('Make room on its disk, outside of the database');
    expect(coordinator.stderr).not.toContain('unsettled');
  },
);

test.runIf(untried === '')(
  `below the floor jobs are refused, reports and deletions are taken, and then jobs again${untried}`,
  async () => {
    const folder = makeFolder();
    const floor = ['--min-free-disk-mb', '40'];
    const args = ['serve', '--data-dir', 'disk', '--port', '0', ...floor, '--log-level', 'warn'];
    const coordinator = new MusterProcess(args, { folder, around: onDisk('true', '80m') });
    onTestFailed(() => console.error(coordinator.stderr));
    const url = await coordinator.line(servedUrl);
    const registered = await call(url, 'POST', '/api/workers', { type: 'pc', platform: 'linux' });
    const { worker_id, worker_token } = registered.body as Record<string, string>;
    const worker = { authorization: `Bearer ${worker_token}` };
    const path = `/api/workers/${worker_id}`;
    const jobs: unknown[] = [];
    let answer = await submit(url);
    for (; answer.status !== 507; answer = await submit(url)) {
      // A busy machine may make it refuse for want of time meanwhile.
      if (answer.status === 201) jobs.push((answer.body as { id: string }).id);
    }
    expect(answer.body).toMatchObject({ code: 'disk_full' });
    expect((answer.body as { detail: string }).detail).toMatch(
      /^Only \d+ MB are left for the database of the coordinator, and 40 MB must stay free /,
    );
    const claimed = await call(url, 'POST', `${path}/claim`, { max: 1 }, worker);
    const [{ task_id, attempt, token }] = claimed.body['assignments'] as Record<
      string,
      unknown
    >[] as [Record<string, unknown>];
    const results = [{ task_id, attempt, token, value: 1 }];
    const reported = await call(url, 'POST', `${path}/report`, { results }, worker);
    expect(reported.body['rejected']).toEqual([]);
    for (const id of jobs) {
      await call(url, 'POST', `/api/jobs/${id}/cancel`);
      expect((await call(url, 'DELETE', `/api/jobs/${id}`)).status).toBe(200);
    }
    while ((await submit(url)).status !== 201) await pause(200);
    expect(coordinator.stderr).toContain('There is room for the database again (');
    coordinator.signal('SIGTERM');
    expect(await coordinator.ended).toEqual({ code: 0, signal: null });
  },
);

test.runIf(untried === '')(
  `the doctor works on a full disk, and says that it is full${untried}`,
  async () => {
    const folder = makeFolder();
    const args = ['doctor', '--data-dir', 'disk', '--port', '0', '--json'];
    const doctor = new MusterProcess(args, { folder, around: onDisk(full) });
    expect(await doctor.ended).toEqual({ code: 1, signal: null });
    expect(JSON.parse(doctor.stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ check: 'disk', status: 'problem' }),
        expect.objectContaining({
          check: 'disk speed',
          status: 'problem',
          finding: `nothing can be written: no space is left at ${join(folder, 'disk')}`,
        }),
      ]),
    );
  },
);

test.runIf(untried === '')(
  `a coordinator that finds a full disk at its start says so, and does not start${untried}`,
  async () => {
    const folder = makeFolder();
    const args = ['serve', '--data-dir', 'disk', '--port', '0'];
    const coordinator = new MusterProcess(args, { folder, around: onDisk(full) });
    expect(await coordinator.ended).toEqual({ code: 5, signal: null });
    expect(coordinator.stderr).toContain('(database or disk is full)');
  },
);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'disk'));
  return folder;
}

/** What starts a program on a small disk that was filled like this. */
function onDisk(filling: string, size = '3m'): readonly string[] {
  const prepared = `SIZE=${size}; ${mount} && { ${filling}; } 2> /dev/null; exec "$@"`;
  return [...unshare, 'sh', '-c', prepared, 'sh'];
}

async function call(
  url: string,
  method: string,
  path: string,
  json: object = {},
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function submit(url: string): Promise<{ status: number; body: object }> {
  const program = { kind: 'javascript', source: 'export default (n) => n' };
  const response = await fetch(`${url}/api/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ program, inputs: ['x'.repeat(100_000)] }),
  });
  return { status: response.status, body: (await response.json()) as object };
}
