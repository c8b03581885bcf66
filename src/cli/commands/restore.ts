// `muster restore FILE`: a backup takes the place of the database. What was there stays beside it.

import { existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { shownPath } from '../output-file.ts';
import type { CoordinatorSettings } from '../process/coordinator-process.ts';
import { keepFilesPrivate, makeFolder } from '../process/private-files.ts';
import { settingOption, settings } from '../settings/settings.ts';

interface Flags extends Pick<CoordinatorSettings, 'dataDir' | 'store'> {
  readonly json?: boolean;
}

export function declareRestore(program: Command, context: Context): void {
  program
    .command('restore')
    .description('put a backup in the place of the database, which is kept under another name')
    .argument('<file>', 'that `muster backup` has written')
    .addOption(settingOption('dataDir'))
    .addOption(settingOption('store'))
    .option(
      '--json',
      'print {database, from, kept, bytes, schema, jobs, values, unverified, as_of}',
    )
    .action((file: string, flags: Flags) => restore(file, flags, context));
}

async function restore(file: string, flags: Flags, context: Context): Promise<void> {
  keepFilesPrivate();
  const [
    { contentOf, copyVerified, refuseUnusable },
    { databasePath },
    { missingAfterRestore },
    { lockFile },
  ] = await Promise.all([
    import('../process/verified-copy.ts'),
    import('../process/database-path.ts'),
    import('../process/beside-the-database.ts'),
    import('../../store/sqlite/file/file-lock.ts'),
  ]);
  const { terminal, folder } = context;
  const from = resolve(folder, file);
  const named = databasePath(flags, folder);
  refuseUnusable(from);
  makeFolder(dirname(named));
  const to = existsSync(named) ? realpathSync(named) : named;
  if (existsSync(from) && realpathSync(from) === to) {
    throw new CommandFailure('usage', `"${file}" is the database itself; name a backup of it.`);
  }
  const lock = lockFile(to);
  try {
    let kept: string | null = null;
    const before = () => {
      kept = keepOld(to);
    };
    const copy = await copyVerified({ from, to, before }, context);
    const { bytes, schema, jobs, values, unverified, committedAt } = copy;
    const dataDir = resolve(folder, flags.dataDir);
    const warning = missingAfterRestore(dataDir, shownPath(dataDir, folder) || '.', copy);
    if (flags.json) {
      const as_of = committedAt === null ? null : new Date(committedAt).toISOString();
      terminal.json({ database: to, from, kept, bytes, schema, jobs, values, unverified, as_of });
      if (warning !== undefined) terminal.note(warning);
      return;
    }
    terminal.print(`${shownPath(to, folder)} is restored from ${file}: ${contentOf(copy)}`);
    if (kept !== null) {
      terminal.note(`What was there before is kept as ${shownPath(kept, folder)}.`);
    }
    if (warning !== undefined) terminal.note(warning);
    terminal.note(terminal.noteColors.dim(`start it:  ${startLine(flags)}`));
  } finally {
    lock.release();
  }
}

/** The name of what was there; null when nothing was. Its log goes with it. */
function keepOld(path: string): string | null {
  const hasFile = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  rmSync(`${path}-shm`, { force: true });
  if (!hasFile && !hasLog) {
    rmSync(`${path}-wal`, { force: true });
    return null;
  }
  const kept = `${path}.before-${new Date().toISOString().replace(/:/g, '-').replace(/\..*/, '')}`;
  const free = (name: string, number: number): string =>
    existsSync(name) ? free(`${kept}-${number}`, number + 1) : name;
  const place = free(kept, 2);
  if (hasLog) {
    // A log that is there without its file is never taken for the log of another one.
    if (hasFile) renameSync(path, place);
    renameSync(`${path}-wal`, `${place}-wal`);
    return place;
  }
  rmSync(`${path}-wal`, { force: true });
  // So that there is no moment without a database, in which a coordinator would begin a new one.
  linkOrMove(path, place);
  return place;
}

function linkOrMove(path: string, place: string): void {
  try {
    linkSync(path, place);
  } catch {
    renameSync(path, place);
  }
}

function startLine({ dataDir, store }: Flags): string {
  if (store !== undefined) return `muster serve --store ${store}`;
  return dataDir === settings.dataDir.defaultValue
    ? 'muster serve'
    : `muster serve --data-dir ${dataDir}`;
}
