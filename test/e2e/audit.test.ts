// The audit log of a whole process: in the database and in its file, without a secret, and whole after a kill.

import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli, serveCli, type ServingCli } from '../support/cli-process.ts';

interface Entry {
  readonly action: string;
  readonly object: string | null;
  readonly outcome: string;
  readonly token_id: string | null;
  readonly count: number;
}

let folder: string;
let serving: ServingCli;
let admin: string;
let client: string;
const settings = ['--data-dir', 'data'];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-audit-'));
  const made = await runCli(['token', 'create', '--kind', 'admin', ...settings], { folder });
  admin = made.stdout.trim();
  serving = await serveCli([...settings, '--workers', '1'], { folder });
  client = (await muster('token', 'create', '--kind', 'client', '--owner', 'ann')).stdout.trim();
}, 60_000);

afterAll(async () => {
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

const muster = (...args: string[]) =>
  runCli(args, { folder, environment: { MUSTER_URL: serving.url, MUSTER_DATA_DIR: 'data' } });
const entries = async (...args: string[]): Promise<Entry[]> =>
  JSON.parse((await muster('audit', '--json', '--last', '1000', ...args)).stdout);
const path = () => join(folder, 'data', 'audit.ndjson');
const lines = () => readFileSync(path(), 'utf8').trimEnd().split('\n');
const idOf = (token: string) => token.split('_')[2]!;

async function asked(token: string, route: string, init: RequestInit = {}): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${serving.url}${route}`, { ...init, headers });
  await answer.arrayBuffer();
  return answer.status;
}

test('tells who has done what since before the first start, and who was refused', async () => {
  writeFileSync(join(folder, 'secret.js'), 'export default () => "program-secret";\n');
  const environment = { MUSTER_URL: serving.url, MUSTER_TOKEN: client };
  const submitted = await runCli(
    ['submit', 'secret.js', '--range', '0:1', '--name', 'name-secret'],
    {
      folder,
      environment,
    },
  );
  expect(submitted.code, submitted.stderr).toBe(0);
  expect(await asked(client, '/api/database/clear', { method: 'DELETE' })).toBe(403);
  expect(await asked(`${client}x`, '/api/jobs')).toBe(401);
  const told = await entries();
  const seen = told.map(({ action, outcome, token_id: id }) => `${action} ${outcome} ${id}`);
  const [ann, root] = [idOf(client), idOf(admin)];
  for (const line of [
    'token.create done null',
    'coordinator.start done null',
    `worker.register done ${root}`,
    `token.create done ${root}`,
    `job.submit done ${ann}`,
    `database.clear refused ${ann}`,
    'read refused null',
  ]) {
    expect(seen).toContain(line);
  }
  const shown = await muster('audit', '--token-id', ann);
  expect(shown.stdout).toMatch(/job\.submit +done +….{12} +ann /);
  expect(shown.stdout).not.toContain('worker.register');
});

test('the file holds what the table holds, for nobody else to read, and neither holds a secret', async () => {
  expect(await asked(admin, '/api/database/clear', { method: 'DELETE' })).toBe(200);
  const told = await entries();
  await expect.poll(() => lines().length).toBe(told.length - 1);
  const fromFile = lines().map((line) => JSON.parse(line) as Entry);
  const fromTable = told
    .toReversed()
    .map(({ id: _id, ...entry }: Entry & { id?: number }) => entry);
  // The first token was made while nobody served.
  expect(fromFile).toEqual(fromTable.slice(1));
  if (process.platform !== 'win32') expect(statSync(path()).mode & 0o777).toBe(0o600);
  const text = readFileSync(path(), 'utf8');
  for (const secret of [admin, client]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(secret.slice(15, 47));
  }
  expect(text).not.toMatch(/program-secret|name-secret/);
  const doctor = await muster('doctor', '--json');
  const findings = JSON.parse(doctor.stdout) as {
    check: string;
    status: string;
    finding: string;
  }[];
  const finding = findings.find(({ check }) => check === 'audit log');
  expect(finding).toMatchObject({ status: 'ok', finding: expect.stringContaining(path()) });
});

test('after a kill the table has all that was answered, and a torn line spoils no other', async () => {
  expect(await asked(admin, '/api/scheduler/activate/priority', { method: 'POST' })).toBe(200);
  const exit = once(serving.child, 'exit');
  serving.child.kill('SIGKILL');
  await exit;
  appendFileSync(path(), '{"at":"2026-');
  serving = await serveCli(settings, { folder });
  const [start, activated] = await entries();
  expect(start).toMatchObject({ action: 'coordinator.start', object: 'tokens' });
  expect(activated).toMatchObject({ action: 'scheduler.activate', object: 'priority' });
  await expect.poll(() => lines().at(-1)).toContain('coordinator.start');
  const [torn, ...more] = lines().filter((line) => !line.endsWith('}'));
  expect([torn, more]).toEqual(['{"at":"2026-', []]);
});
