// `muster backup FILE`: the database as one file, whether a coordinator runs or not.

import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
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
  const [{ contentOf, copyVerified, refuseUnusable }, { databasePath }] = await Promise.all([
    import('../process/verified-copy.ts'),
    import('../process/database-path.ts'),
  ]);
  const from = databasePath(flags, context.folder);
  const to = resolve(context.folder, file);
  refuseUnusable(from);
  await refuseTarget(file, to, from, flags.force === true);
  const copy = await copyVerified({ from, to }, context);
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

async function refuseTarget(
  file: string,
  to: string,
  from: string,
  mayReplace: boolean,
): Promise<void> {
  if (!existsSync(dirname(to))) {
    throw new CommandFailure('usage', `"${file}" cannot be written: its folder does not exist.`);
  }
  if (!existsSync(to)) return;
  if (statSync(to).isDirectory()) {
    throw new CommandFailure('usage', `"${file}" is a folder; name a file in it.`);
  }
  if (existsSync(from) && realpathSync(to) === realpathSync(from)) {
    throw new CommandFailure('usage', `"${file}" is the database itself; name another file.`);
  }
  if (!mayReplace) {
    throw new CommandFailure('usage', `"${file}" is there already; --force replaces it.`);
  }
  if (!existsSync(`${to}.lock`)) return;
  // Whoever has it open would go on writing to a file without a name.
  const { lockFile } = await import('../../store/sqlite/file/file-lock.ts');
  lockFile(realpathSync(to)).release();
}
