// `muster doctor`: checks whether this machine is fit for a coordinator and a worker, and says what to do
// if it is not.

import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { ClientFlags, Context } from '../context.ts';
import type { CoordinatorSettings } from '../process/coordinator-process.ts';
import type { StorePlace } from '../process/store-place.ts';
import type { TlsSettings } from '../process/tls-settings.ts';
import { type Finding, warning } from '../doctor/finding.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainText } from '../text/foreign-text.ts';
import { settingOption } from '../settings/settings.ts';
import type { Colors } from '../text/colors.ts';
import { counted } from '../text/wording.ts';

type Flags = ClientFlags &
  TlsSettings &
  Pick<CoordinatorSettings, 'port' | 'store'> & {
    readonly deep?: boolean;
    readonly minFreeDiskMb: number;
  };

export function declareDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('look at this machine: what works, what does not, and what to do about it')
    .argument(
      '[file]',
      'with --deep: a database to look at, like a backup, instead of this machine',
    )
    .addOption(settingOption('host'))
    .addOption(settingOption('port'))
    .addOption(settingOption('tls'))
    .addOption(settingOption('tlsCert'))
    .addOption(settingOption('tlsKey'))
    .addOption(settingOption('dataDir'))
    .addOption(settingOption('store'))
    .addOption(settingOption('url'))
    .addOption(settingOption('pin'))
    .addOption(settingOption('minFreeDiskMb'))
    .option(
      '--deep',
      'also read the whole database and compare every hash in it; with --store, that database alone',
    )
    .option('--json', 'print an array of {check, status, finding, advice}')
    .action((file: string | undefined, flags: Flags, command: Command) => {
      if (file === undefined) {
        const isNamed = command.getOptionValueSource('store') === 'cli';
        return examine(flags, isNamed, context);
      }
      if (flags.deep === true) return examine({ ...flags, store: `sqlite:${file}` }, true, context);
      throw new CommandFailure('usage', `To look at "${file}", say --deep.`);
    });
}

/** `isNamed`: the database was named on the command line. */
async function examine(flags: Flags, isNamed: boolean, context: Context): Promise<void> {
  const { terminal } = context;
  terminal.status('looking …');
  const isOfFile = isNamed && flags.deep === true && flags.store !== 'sqlite::memory:';
  const findings = await (isOfFile ? examineFile : examineAll)(flags, context);
  terminal.status('');
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  context.exit(problems === 0 ? exitCodes.ok.code : exitCodes.jobFailed.code);
  if (flags.json) return terminal.json(findings);
  await terminal.write(`${findingLines(findings, terminal.colors)}\n`);
  const { green, red, yellow } = terminal.noteColors;
  if (problems > 0) terminal.note(red(`${counted(problems, 'problem')}: see the arrows`));
  else if (warnings > 0) terminal.note(yellow('works; the arrows say what could be better'));
  else terminal.note(green('everything is as it should be'));
}

/** Checks one database, such as a backup, and nothing else: it need not belong to this machine. */
async function examineFile(flags: Flags, { folder }: Context): Promise<readonly Finding[]> {
  const [{ checkPresence }, { storePlace }] = await Promise.all([
    import('../doctor/check-store.ts'),
    import('../process/store-place.ts'),
  ]);
  const place = storePlace(flags, folder);
  const missing = place.kind === 'file' ? checkPresence(place.path) : undefined;
  return missing === undefined ? storeFindings(place, flags) : [missing];
}

async function examineAll(flags: Flags, { folder, version }: Context): Promise<readonly Finding[]> {
  const [
    coordinator,
    node,
    clock,
    disk,
    growth,
    sandbox,
    { fileOf, storePlace },
    tls,
    audit,
    { readAddress },
    { adminTokenLost },
  ] = await Promise.all([
    import('../doctor/check-coordinator.ts'),
    import('../doctor/check-node.ts'),
    import('../doctor/check-clock.ts'),
    import('../doctor/check-disk.ts'),
    import('../doctor/check-growth.ts'),
    import('../doctor/check-sandbox.ts'),
    import('../process/store-place.ts'),
    import('../doctor/check-tls.ts'),
    import('../doctor/check-audit.ts'),
    import('../process/access-files.ts'),
    import('../process/admin-token-lost.ts'),
  ]);
  const place = storePlace(flags, folder);
  const path = fileOf(place);
  const dataDir = path === undefined ? resolve(folder, flags.dataDir) : dirname(path);
  const accessDir = resolve(folder, flags.dataDir);
  const lost = flags.token === undefined ? adminTokenLost(accessDir, folder) : undefined;
  // The clock is checked alone and first: the other checks keep the machine busy.
  const clockFinding = await clock.checkClock();
  const found = await coordinator.askAddress(flags);
  const answer = typeof found === 'string' ? undefined : found;
  return [
    node.checkNode(process.version),
    await coordinator.checkPort(flags.host, flags.port, coordinator.isCoordinator),
    ...tls.checkTls(flags, folder, new Date()),
    ...(await storeFindings(place, flags)),
    audit.checkAudit(accessDir),
    disk.checkDisk(dataDir, flags.minFreeDiskMb),
    path === undefined ? undefined : growth.checkGrowth(path),
    disk.checkDurableWrite(dataDir),
    ...(await sandbox.checkSandbox(process.platform)),
    clockFinding,
    coordinator.checkCoordinator(flags.url, found),
    coordinator.checkOpen(answer),
    coordinator.checkAdminToken(answer, readAddress(accessDir), lost),
    coordinator.checkVersions(version, answer),
    coordinator.checkLastLook(answer),
    coordinator.checkOffset(answer),
  ].filter((finding) => finding !== undefined);
}

async function storeFindings(place: StorePlace, { deep }: Flags): Promise<readonly Finding[]> {
  if (place.kind === 'server') {
    const { checkDatabase } = await import('../doctor/check-database.ts');
    return checkDatabase(place.address);
  }
  if (place.kind === 'memory') {
    return [warning('store', 'in memory: jobs are gone with the coordinator', 'Good for trying.')];
  }
  const [store, values] = await Promise.all([
    import('../doctor/check-store.ts'),
    import('../doctor/check-values.ts'),
  ]);
  return [store.checkStore(place.path), ...(deep === true ? values.checkValues(place.path) : [])];
}

function findingLines(findings: readonly Finding[], colors: Colors): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const paint = { ok: colors.green, warning: colors.yellow, problem: colors.red };
  return findings
    .flatMap(({ check, status, finding, advice }) => [
      `${paint[status](status.padEnd(7))}  ${check.padEnd(width)}  ${plainText(finding)}`,
      ...(advice === null ? [] : [`${' '.repeat(width + 11)}→ ${plainText(advice)}`]),
    ])
    .join('\n');
}
