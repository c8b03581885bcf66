// A worker on a phone, as far as it can be tried without one: its process is told what Node is told in Termux
// (test/support/like-android.mjs). The coordinator is one of this machine.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect, type MusterClient, type WorkerResource } from '../../src/client/index.ts';
import { endOf, serveCli, type ServingCli, startCli } from '../support/cli-process.ts';

const likeAndroid = pathToFileURL(join(import.meta.dirname, '..', 'support', 'like-android.mjs'));

let folder: string;
let serving: ServingCli;
let client: MusterClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-android-'));
  serving = await serveCli(['--heartbeat-seconds', '1', '--port', '0'], { folder });
  client = connect(serving.url);
});

afterAll(async () => {
  await serving.stop();
  rmSync(folder, { recursive: true });
});

/** Commands that Termux has; `battery`: what it tells of the battery, null where that is not installed. */
function commands(name: string, battery: string | null): string {
  const bin = join(folder, name);
  mkdirSync(bin);
  const add = (command: string, text: string) => {
    writeFileSync(join(bin, command), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, command), 0o755);
  };
  add('getprop', `[ "$1" = ro.product.model ] && echo 'Pixel 9'`);
  if (battery !== null) add('termux-battery-status', battery);
  return bin;
}

function startPhone(name: string, battery: string | null, ...more: string[]) {
  const bin = commands(`${name}-bin`, battery);
  const device = join(folder, name);
  mkdirSync(device);
  const child = startCli(['worker', serving.url, '--slots', '1', '--state-dir', 'state', ...more], {
    folder: device,
    environment: {
      NODE_OPTIONS: `--import=${likeAndroid.href}`,
      PATH: `${bin}${delimiter}${process.env['PATH']}`,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, end: endOf(child), state: join(device, 'state') };
}

async function workerWhere(is: (worker: WorkerResource) => boolean): Promise<WorkerResource> {
  for (;;) {
    const found = (await client.workers()).find((each) => each.status !== 'offline' && is(each));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a phone with Termux joins by its model, works, tells its battery, and leaves', async () => {
  const status = `echo '{ "percentage": 64, "plugged": "UNPLUGGED", "status": "DISCHARGING" }'`;
  const { child, end, state } = startPhone('whole', status);
  const worker = await workerWhere(({ telemetry }) => telemetry?.battery_level_percent === 64);
  expect(worker).toMatchObject({
    name: 'Pixel 9',
    type: 'android_node',
    platform: 'android',
    isolation: 'ses',
    telemetry: { battery_charging: false, power_watts: 2 },
  });
  expect(worker.telemetry?.cpu_load_percent ?? null).toBeNull();
  expect(readdirSync(state)).toContain('lock');
  expect(await client.map([1, 2, 3], (n) => n * n)).toEqual([1, 4, 9]);
  child.kill('SIGTERM');
  expect((await end).code).toBe(0);
  expect(readdirSync(state)).not.toContain('lock');
});

test('a phone whose battery cannot be asked works all the same', async () => {
  const { child, end } = startPhone('bare', 'exec sleep 1000', '--name', 'bare');
  const worker = await workerWhere(({ name }) => name === 'bare');
  expect(worker.telemetry?.battery_level_percent ?? null).toBeNull();
  expect(await client.map([4], (n) => n + 1)).toEqual([5]);
  child.kill('SIGTERM');
  expect((await end).code).toBe(0);
});

test('a state directory that is in use on a phone is refused to a second worker', async () => {
  const { child, end, state } = startPhone('taken', null, '--name', 'taken');
  await workerWhere(({ name }) => name === 'taken');
  const second = startCli(['worker', serving.url, '--state-dir', state], {
    folder,
    environment: { NODE_OPTIONS: `--import=${likeAndroid.href}` },
  });
  const { code, stderr } = await endOf(second);
  expect(code).not.toBe(0);
  expect(stderr).toContain('is in use by the worker with process id');
  child.kill('SIGTERM');
  expect((await end).code).toBe(0);
});
