// `muster backup FILE`: the database as one file, whether a coordinator runs or not.

import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { shownPath } from '../output-file.ts';
import type { CoordinatorSettings } from '../process/coordinator-process.ts';
import { keepFilesPrivate } from '../process/private-files.ts';
import { settingOption } from '../settings/settings.ts';

interface Flags extends Pick<CoordinatorSettings, 'dataDir' | 'store'> {
  readonly force?: boolean;
  readonly json?: boolean;
}

export function declareBackup(program: Command, context: Context): void {
  program
    .command('backup')
    .description('copy the database into one file that was looked through; a coordinator may go on')
    .argument('<file>', 'where the copy goes')
    .addOption(settingOption('dataDir'))
    .addOption(settingOption('store'))
    .option('--force', 'replace the file if it is there')
    .option('--json', 'print {file, database, bytes, schema, jobs, values, unverified, as_of}')
    .action((file: string, flags: Flags) => backUp(file, flags, context));
}

async function backUp(file: string, flags: Flags, context: Context): Promise<void> {
  keepFilesPrivate();
  const [{ contentOf, copyVerified, refuseUnusable }, { databasePath }, { notInBackup }] =
    await Promise.all([
      import('../process/verified-copy.ts'),
      import('../process/database-path.ts'),
      import('../process/beside-the-database.ts'),
    ]);
  const from = databasePath(flags, context.folder);
  refuseUnusable(from);
  const to = await targetOf(file, resolve(context.folder, file), from, flags.force === true);
  const copy = await copyVerified({ from, to }, context);
  const dataDir = resolve(context.folder, flags.dataDir);
  const warning = notInBackup(dataDir, shownPath(dataDir, context.folder) || '.');
  if (warning !== undefined) context.terminal.note(warning);
  if (flags.json) {
    const { bytes, schema, jobs, values, unverified, committedAt } = copy;
    const as_of = committedAt === null ? null : new Date(committedAt).toISOString();
    context.terminal.json({
      file: to,
      database: from,
      bytes,
      schema,
      jobs,
      values,
      unverified,
      as_of,
    });
    return;
  }
  context.terminal.print(`${file}: ${contentOf(copy)}`);
}

/** What lies beside a database while it is open: the log has what was acknowledged last. */
const COMPANIONS = ['-wal', '-shm', '-journal', '.lock', '.lock-journal'];

/** Where the copy goes: behind a link, that is the file it leads to. */
async function targetOf(
  file: string,
  place: string,
  from: string,
  mayReplace: boolean,
): Promise<string> {
  const refusal = (why: string) => new CommandFailure('usage', `"${file}" ${why}`);
  if (!existsSync(dirname(place))) throw refusal('cannot be written: its folder does not exist.');
  const found = statSync(place, { throwIfNoEntry: false });
  const real =
    found === undefined ? join(realpathSync(dirname(place)), basename(place)) : realpathSync(place);
  const database = realpathSync(from);
  if (COMPANIONS.some((suffix) => real === database + suffix)) {
    throw refusal('belongs to the database; name another file.');
  }
  if (found === undefined) return place;
  if (found.isDirectory()) throw refusal('is a folder; name a file in it.');
  if (!found.isFile()) throw refusal('is no file that could be replaced; name another one.');
  if (real === database) throw refusal('is the database itself; name another file.');
  if (!mayReplace) throw refusal('is there already; --force replaces it.');
  if (existsSync(`${real}.lock`)) {
    // Whoever has it open would go on writing to a file without a name.
    const { lockFile } = await import('../../store/sqlite/file/file-lock.ts');
    lockFile(real).release();
  }
  return real;
}
