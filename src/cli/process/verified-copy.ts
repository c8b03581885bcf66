// A copy of a database that appears only when it is complete, on the disk and found whole: written beside
// its place, looked through, then moved there.

import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { checkWhole, type WholeReport } from '../../store/sqlite/check/whole-check.ts';
import { copyDatabase } from '../../store/sqlite/file/copy.ts';
import { inspectFile } from '../../store/sqlite/file/inspect.ts';
import { newestVersion } from '../../store/sqlite/file/migrate.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { cannotWrite } from '../output-file.ts';
import type { Terminal } from '../text/terminal.ts';
import { counted, grouped, percent } from '../text/wording.ts';
import { interruption } from './interruption.ts';

export interface VerifiedCopy extends WholeReport {
  readonly bytes: number;
}

export interface CopyOrder {
  readonly from: string;
  readonly to: string;
  /** Just before the copy gets its name. */
  readonly before?: () => void;
}

const mostTold = 5;
const barCells = 24;
const redrawMs = 100;

/** `from` must be one that `refuseUnusable` lets pass. Throws a `CommandFailure` when one of the two files is not as it must be. */
export async function copyVerified(order: CopyOrder, context: Context): Promise<VerifiedCopy> {
  const { from, to, before } = order;
  const { terminal } = context;
  const signal = interruption();
  const draft = `${to}.${process.pid}.partial`;
  const remove = () => {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(draft + suffix, { force: true });
  };
  const show = statusOf(terminal);
  removeLeftovers(to);
  try {
    await copyDatabase(from, draft, (progress) => {
      signal.throwIfAborted();
      show(() => `${bar(progress)} ${percent(progress).padStart(5)}  copied`);
    });
    terminal.status('looking at the copy …');
    const report = await checkWhole(draft, (values) => {
      signal.throwIfAborted();
      show(() => `looking at the copy …  ${counted(values, 'value')}`);
    });
    terminal.status('');
    refuseDamage(from, report);
    const { size: bytes } = statSync(draft);
    sync(draft);
    before?.();
    renameSync(draft, to);
    sync(dirname(to));
    return { ...report, bytes };
  } catch (error) {
    remove();
    terminal.status('');
    if (signal.aborted) throw new CommandFailure('interrupted', 'Nothing was changed.');
    throw explained(error, to);
  }
}

/** Of copies to the same place whose process was killed: each is as large as the database. */
function removeLeftovers(to: string): void {
  const start = `${basename(to)}.`;
  for (const name of readdirSync(dirname(to))) {
    if (!name.startsWith(start)) continue;
    const [, pid] = /^(\d+)\.partial(?:-journal|-wal|-shm)?$/.exec(name.slice(start.length)) ?? [];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(dirname(to), name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function statusOf(terminal: Terminal): (text: () => string) => void {
  let shownAt = -Infinity;
  return (text) => {
    const now = performance.now();
    if (!terminal.isInteractive || now - shownAt < redrawMs) return;
    shownAt = now;
    terminal.status(text());
  };
}

function bar(share: number): string {
  const full = Math.floor(share * barCells);
  return `[${'#'.repeat(full)}${'.'.repeat(barCells - full)}]`;
}

/** Before anything is made for its sake. */
export function refuseUnusable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new CommandFailure('usage', `There is no database at ${path}.`);
  }
  // Opening a pipe would wait for somebody who writes to it.
  if (!found.isFile()) throw new CommandFailure('usage', `${path} is no file.`);
  try {
    if (!inspectFile(path, newestVersion)) {
      throw new CommandFailure('usage', `There is no database at ${path}: the file is empty.`);
    }
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== 'store_newer' && code !== 'store_damaged') throw error;
    throw new CommandFailure('jobFailed', (error as Error).message, [], error);
  }
}

function refuseDamage(from: string, { structure, damaged, sentences }: WholeReport): void {
  const faults = [...structure, ...sentences];
  if (faults.length === 0) return;
  const what = structure.length > 0 ? 'its structure' : counted(damaged, 'value');
  throw new CommandFailure('jobFailed', `${from} is damaged (${what}); nothing was written.`, [
    ...faults.slice(0, mostTold),
    ...(faults.length > mostTold ? [`… and ${grouped(faults.length - mostTold)} more.`] : []),
    'What to do then: docs/guides/recover.md.',
  ]);
}

/** A full disk is told of the file that the person has named, not of the draft. */
function explained(error: unknown, to: string): unknown {
  const { code } = error as { code?: unknown };
  if (code !== 'store_full') return cannotWrite(to, error);
  return new CommandFailure('usage', `"${to}" cannot be written: the disk is full.`, [], error);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } catch (error) {
    // Windows does not sync folders.
    if (process.platform !== 'win32') throw error;
  } finally {
    closeSync(file);
  }
}

/** What both commands say of a copy. */
export function contentOf({ bytes, jobs, values, unverified }: VerifiedCopy): string {
  const looked = `${counted(values, 'value')} looked at, none is damaged`;
  const unhashed = unverified === 0 ? '' : ` as far as can be seen (without a hash: ${unverified})`;
  return `${megabytes(bytes)}, ${counted(jobs, 'job')}, ${looked}${unhashed}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
