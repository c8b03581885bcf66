// A worker of elsewhere comes in by a join token, and stays by a token of its own.

import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type MusterClient } from '../../src/client/index.ts';
import { endOf, runCli, serveCli, type ServingCli, startCli } from '../support/cli-process.ts';

let folder: string;
let device: string;
let serving: ServingCli;
let client: MusterClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-join-'));
  device = mkdtempSync(join(tmpdir(), 'muster-device-'));
  const { stdout: admin } = await runCli(['token', 'create', '--kind', 'admin'], { folder });
  serving = await serveCli([], { folder });
  client = connect(serving.url, { token: async () => admin.trim() });
}, 60_000);

afterAll(async () => {
  await serving.stop();
  for (const each of [folder, device]) rmSync(each, { recursive: true, force: true });
});

/** What the worker keeps in the folder `state` of the device. `undefined`: nothing yet. */
function identityIn(state: string) {
  const kept = join(device, state);
  // Not its draft, which has another ending until it is whole.
  const name =
    existsSync(kept) && readdirSync(kept).find((each) => /^identity.*\.json$/.test(each));
  return name ? JSON.parse(readFileSync(join(kept, name), 'utf8')) : undefined;
}

/** Waits until a worker is connected and has written down who it is, or until `child` has ended. */
async function here(child: ChildProcess, state = 'state') {
  const isHere = async () => {
    const worker = (await client.workers()).find(({ status }) => status !== 'offline');
    return worker !== undefined && identityIn(state)?.worker_id === worker.id;
  };
  while (child.exitCode === null && !(await isHere())) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function work(...flags: readonly string[]) {
  const child = startCli(['worker', serving.url, '--state-dir', 'state', '--json', ...flags], {
    folder: device,
  });
  const end = endOf(child);
  await here(child);
  child.kill('SIGTERM');
  return end;
}

test('a worker without a token is told that it needs one, and ends', async () => {
  const { code, stderr } = await work();
  expect([code, stderr]).toEqual([4, expect.stringContaining('asks for a token')]);
});

test('a join token lets one worker in, which comes back without it, and registers anew after a clear', async () => {
  const { token } = await client.tokens.create({ kind: 'join', uses: 1 });
  writeFileSync(join(device, 'join'), token);
  expect((await work('--token-file', 'join')).code).toBe(0);
  const first = identityIn('state');
  expect(first.worker_token).toMatch(/^mst_w_/);
  expect((await work()).code).toBe(0);
  expect(identityIn('state')).toEqual(first);
  await client.clear();
  expect((await work()).code).toBe(0);
  const anew = identityIn('state');
  expect(anew.worker_token).toBe(first.worker_token);
  expect(anew.worker_id).not.toBe(first.worker_id);
});

test('a worker that was removed stays away, with the token that it has', async () => {
  const [worker] = await client.workers();
  await client.deregister(worker!.id);
  const { code, stderr } = await work();
  expect([code, stderr]).toEqual([4, expect.stringContaining('revoked')]);
});

test('a worker that is connected when the database is cleared registers anew with its own token', async () => {
  const { token } = await client.tokens.create({ kind: 'join', uses: 1 });
  const child = startCli(['worker', serving.url, '--state-dir', 'connected', '--token', token], {
    folder: device,
  });
  const end = endOf(child);
  await here(child, 'connected');
  const first = identityIn('connected');
  await client.clear();
  await here(child, 'connected');
  child.kill('SIGTERM');
  expect((await end).code).toBe(0);
  const anew = identityIn('connected');
  expect(anew.worker_token).toBe(first.worker_token);
  expect(anew.worker_id).not.toBe(first.worker_id);
}, 60_000);
