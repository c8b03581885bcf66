// What Node is told of the device it runs on, where that differs: Android, in the app Termux, is a Linux
// without hard links, without names of hosts, and with little of /proc.

import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';

const patienceMs = 2_000;

export function isAndroid(): boolean {
  return process.platform === 'android';
}

/** Its own processes are in /proc, whatever else is hidden there. */
export function hasLinuxKernel(): boolean {
  return process.platform === 'linux' || isAndroid();
}

/** As coordinators list it. */
export function deviceType(): 'pc' | 'android_node' {
  return isAndroid() ? 'android_node' : 'pc';
}

let model: string | undefined;

/** The name of the machine; of a phone, which is called `localhost`, its model. */
export function deviceName(): string {
  if (!isAndroid()) return hostname();
  model ??= readModel();
  return model;
}

function readModel(): string {
  const { stdout } = spawnSync('getprop', ['ro.product.model'], {
    encoding: 'utf8',
    timeout: patienceMs,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // Null where there is no such command.
  const said = ((stdout as string | null) ?? '').trim();
  return /^[\x20-\x7e]{1,60}$/.test(said) ? said : 'android';
}
