// Two machines in one: a coordinator under TLS with tokens, and a device that joins it by a link.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type MusterClient, type WorkerResource } from '../../src/client/index.ts';
import { endOf, runCli, serveCli, type ServingCli, startCli } from '../support/cli-process.ts';

/** An address by which others would reach this machine, if it has one. */
const outside =
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.internal === false && each.family === 'IPv4')?.address ?? '127.0.0.1';

let folder: string;
let device: string;
let serving: ServingCli;
let client: MusterClient;
let link: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-join-'));
  device = mkdtempSync(join(tmpdir(), 'muster-device-'));
  const { stdout } = await runCli(['token', 'create', '--kind', 'admin'], { folder });
  await serve('0');
  link = (await muster('join', '--label', 'second laptop')).stdout.trim();
  client = connect(`${serving.url}#k=${serving.pin}`, { token: stdout.trim() });
}, 60_000);

afterAll(async () => {
  await serving.stop();
  for (const each of [folder, device]) rmSync(each, { recursive: true, force: true });
});

async function serve(port: string): Promise<void> {
  serving = await serveCli(['--host', outside, '--tls', 'self-signed', '--port', port], { folder });
}

const muster = (...args: string[]) => runCli(args, { folder });

interface Work {
  /** The worker as the coordinator lists it when it is there. */
  readonly worker: WorkerResource | undefined;
  readonly arguments: string;
  readonly end: Awaited<ReturnType<typeof endOf>>;
}

/** A worker on the other machine, until it is there or has ended. */
async function work(args: readonly string[], environment = {}): Promise<Work> {
  const child = startCli(['worker', ...args, '--json'], { folder: device, environment });
  const end = endOf(child);
  let worker: WorkerResource | undefined;
  while (worker === undefined && child.exitCode === null) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    worker = (await client.workers()).find(({ status }) => status !== 'offline');
  }
  const shown = worker === undefined ? '' : readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
  child.kill('SIGTERM');
  return { worker, arguments: shown, end: await end };
}

const secret = () => /mst_j_\w{8}_(.{32})/.exec(link)![1]!;

test('a link that was cut says so, and nothing of it is repeated', async () => {
  const { end } = await work([link.slice(0, -60)]);
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('The link was cut') });
  expect(end.stdout + end.stderr).not.toContain(secret().slice(0, 6));
});

let first: WorkerResource;

test('a device joins by the link, whose secret is in no list of processes and in no log', async () => {
  const joined = await work([link]);
  first = joined.worker!;
  expect(first).toMatchObject({ type: 'pc' });
  expect(joined.arguments).not.toContain(secret());
  expect(joined.end.code).toBe(0);
  expect(joined.end.stdout + joined.end.stderr + serving.said()).not.toContain(secret());
  const state = join(device, '.muster', 'worker');
  for (const name of readdirSync(state)) {
    const path = join(state, name);
    if (!statSync(path).isFile()) continue;
    expect(readFileSync(path, 'utf8')).not.toContain(secret());
    expect(statSync(path).mode & 0o077, name).toBe(0);
  }
});

test('it comes back as itself: with the used link, without any, and after a restart of the coordinator', async () => {
  expect((await work([link])).worker?.id).toBe(first.id);
  expect((await work([])).worker?.id).toBe(first.id);
  const { port } = new URL(serving.url);
  await serving.stop();
  await serve(port);
  expect((await work([])).worker?.id).toBe(first.id);
});

test('it keeps the name that it is given, and is away for good when it is removed', async () => {
  const address = ['--url', `${serving.url}#k=${serving.pin}`];
  const named = await muster('rename', first.id, 'second laptop', ...address);
  expect(named.code, named.stderr).toBe(0);
  expect((await work([])).worker).toMatchObject({
    name: 'second laptop',
    joined_by: { label: 'second laptop' },
  });
  const removed = await muster('deregister', first.id, ...address);
  expect(removed.stderr).toContain('Its token is revoked');
  const { end } = await work([]);
  expect([end.code, end.stderr]).toEqual([4, expect.stringContaining('revoked')]);
});

test('another device is told that the link has ended', async () => {
  const { end } = await work([], { MUSTER_URL: link, HOME: join(device, 'other') });
  expect(end.code).toBe(4);
  expect(end.stdout + end.stderr).toContain('This link has ended. Ask for a new one.');
  expect(end.stdout + end.stderr).not.toContain(secret());
});
