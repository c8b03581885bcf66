// The directory where a worker keeps its identity: one file per coordinator, and a lock, so that
// two agents never share a directory (they would be one worker twice).

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { WorkerIdentity } from '../machine/machine.ts';
import { makeExclusively, readExclusive } from './exclusive-file.ts';

/** The directory cannot be used; the message says why and what to do. */
export class StateDirectoryError extends Error {
  readonly code: 'in_use' | 'not_writable';

  constructor(code: 'in_use' | 'not_writable', message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StateDirectoryError';
    this.code = code;
  }
}

export class StateDirectory {
  private readonly path: string;
  private readonly lockPath: string;
  /** The worker that used the directory last has not left it: it was killed. */
  wasLeftBehind = false;

  private constructor(path: string) {
    this.path = path;
    this.lockPath = join(path, 'lock');
  }

  /** Creates the directory and locks it for this process. */
  static open(path: string): StateDirectory {
    const directory = new StateDirectory(path);
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      directory.lock();
    } catch (error) {
      if (error instanceof StateDirectoryError) throw error;
      const why = `The state directory ${path} cannot be written: ${(error as Error).message}.`;
      throw new StateDirectoryError('not_writable', why, error);
    }
    return directory;
  }

  /** Null when there is no identity for this coordinator, or its file cannot be read. */
  readIdentity(url: string): WorkerIdentity | null {
    try {
      const text = readFileSync(this.identityPath(url), 'utf8');
      const found = JSON.parse(text) as Record<string, unknown>;
      const { worker_id: workerId, worker_token: workerToken } = found;
      if (typeof workerId !== 'string' || typeof workerToken !== 'string') return null;
      return found['url'] === url ? { workerId, workerToken } : null;
    } catch {
      return null;
    }
  }

  saveIdentity(url: string, identity: WorkerIdentity): void {
    const { workerId, workerToken } = identity;
    const content = { worker_id: workerId, worker_token: workerToken, url };
    const path = this.identityPath(url);
    const draft = `${path}.${process.pid}.new`;
    writeDurably(draft, `${JSON.stringify(content, null, 2)}\n`);
    renameSync(draft, path);
  }

  forgetIdentity(url: string): void {
    rmSync(this.identityPath(url), { force: true });
  }

  close(): void {
    if (readOwner(this.lockPath)?.pid === process.pid) rmSync(this.lockPath, { force: true });
  }

  private identityPath(url: string): string {
    const name = url.replaceAll(/[^a-zA-Z0-9.-]+/g, '_').replace(/_$/, '');
    return join(this.path, `identity-${name}.json`);
  }

  /**
   * The lock is created together with its content, so nobody reads half of it. A lock whose
   * process is gone is moved aside first; if a race moved a live one, it is put back.
   */
  private lock(): void {
    const draft = join(this.path, `lock.${process.pid}.new`);
    writeDurably(draft, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
    try {
      if (makeExclusively(draft, this.lockPath)) return;
      const owner = readOwner(this.lockPath);
      if (owner !== null && isAlive(owner)) throw this.inUse(owner.pid);
      const aside = join(this.path, `lock.${process.pid}.old`);
      tryRename(this.lockPath, aside);
      const moved = readOwner(aside);
      if (moved !== null && isAlive(moved)) makeExclusively(aside, this.lockPath);
      else this.wasLeftBehind = true;
      rmSync(aside, { force: true });
      if (makeExclusively(draft, this.lockPath)) return;
      throw this.inUse(readOwner(this.lockPath)?.pid ?? null);
    } finally {
      rmSync(draft, { force: true });
    }
  }

  private inUse(pid: number | null): StateDirectoryError {
    const who = pid === null ? 'another worker' : `the worker with process id ${pid}`;
    return new StateDirectoryError(
      'in_use',
      `The state directory ${this.path} is in use by ${who}. Stop it, or name another directory.`,
    );
  }
}

interface LockOwner {
  readonly pid: number;
  /** When the process started, in ticks since boot; null where the system does not tell. */
  readonly started: string | null;
}

function readOwner(path: string): LockOwner | null {
  try {
    const { pid, started } = JSON.parse(readExclusive(path) ?? '') as Partial<LockOwner>;
    return typeof pid === 'number' ? { pid, started: started ?? null } : null;
  } catch {
    return null;
  }
}

/** A process id is used again after a restart; the start time tells the two processes apart. */
function isAlive(owner: LockOwner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const started = startOf(owner.pid);
  if (started === ended) return false;
  return started === null || owner.started === null || started === owner.started;
}

/** Of a process that has ended: its number stays taken until its parent asks for it, which some never do. */
const ended = 'ended';

/** Field 22 of /proc/PID/stat; the name before it may hold spaces and is skipped. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? ended : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function tryRename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
