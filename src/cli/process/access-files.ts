// What a coordinator and the commands on its machine tell each other in the data folder, in files that only
// this person may read: where it serves, and the token of the admin. A token is sent to that address alone, and
// only while the process lives that serves there: when it was killed, anybody may listen in its place.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './private-files.ts';

const privateMode = 0o600;

export function adminTokenFile(dataDir: string): string {
  return join(dataDir, 'access', 'admin.token');
}

function addressFile(dataDir: string): string {
  return join(dataDir, 'access', 'address');
}

/** Undefined when there is none, or this person may not read it. */
export function readAdminToken(dataDir: string): string | undefined {
  return read(adminTokenFile(dataDir));
}

export function writeAdminToken(dataDir: string, token: string): void {
  write(dataDir, adminTokenFile(dataDir), token);
}

export function removeAdminToken(dataDir: string): void {
  rmSync(adminTokenFile(dataDir), { force: true });
}

/**
 * Where the coordinator of this data folder serves. Undefined when its process is gone: by now its port may be that of
 * somebody else's program.
 */
export function readAddress(dataDir: string): string | undefined {
  return readServed(dataDir)?.url;
}

/**
 * Call in the process that serves there. With another store, another coordinator may serve the same folder: while that
 * lives the folder stays its own, and its address is returned.
 */
export function writeAddress(dataDir: string, url: string): string | undefined {
  const other = readServed(dataDir);
  if (other !== undefined && other.pid !== process.pid) return other.url;
  const served = [url, process.pid, startOf(process.pid)];
  write(dataDir, addressFile(dataDir), served.join('\n'));
  return undefined;
}

/** Leaves that of another process. */
export function removeAddress(dataDir: string, url: string): void {
  const served = readServed(dataDir);
  if (served?.url !== url || served.pid !== process.pid) return;
  rmSync(addressFile(dataDir), { force: true });
}

function readServed(dataDir: string): { readonly url: string; readonly pid: number } | undefined {
  const [url = '', id, started = ''] = read(addressFile(dataDir))?.split('\n') ?? [];
  const pid = Number(id);
  return isAlive(pid, started) ? { url, pid } : undefined;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Others see the old file or the new one, never half of it. */
function write(dataDir: string, path: string, text: string): void {
  makeFolder(join(dataDir, 'access'));
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${text}\n`, { mode: privateMode });
  renameSync(draft, path);
}

/** The number of a process that is gone is given to another one day; that began later. */
function isAlive(pid: number, started: string): boolean {
  try {
    // Refused for the process of another person, too: that is no coordinator of this one.
    return pid > 0 && process.kill(pid, 0) && started === startOf(pid);
  } catch {
    return false;
  }
}

/**
 * In ticks since the machine started; empty where the system does not tell. A process that has ended keeps its number
 * until its parent asks for it, which some never do; its ports are free.
 */
function startOf(pid: number): string {
  // The name of the process, in brackets, may hold blanks.
  const state = read(`/proc/${pid}/stat`);
  const fields = state?.slice(state.lastIndexOf(')') + 2).split(' ') ?? [];
  return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '');
}
