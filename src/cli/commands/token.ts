// `muster token create|list|quota|revoke`: who may ask the coordinator.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { NewToken, TokenAsked, TokenResource } from '../../client/index.ts';
import { quotaNames } from '../../protocol/quotas.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import {
  adminTokenFile,
  readAdminToken,
  removeAdminToken,
  writeAdminToken,
} from '../process/access-files.ts';
import type { DeskFlags, TokenDesk } from '../process/token-desk.ts';
import { shownPath } from '../output-file.ts';
import { labels, named, oneOf, timeSpan, wholeNumber } from '../settings/flag-values.ts';
import { settingOption } from '../settings/settings.ts';
import { dataDirOf } from '../settings/token-flags.ts';
import { readConfig } from '../settings/config-file.ts';
import { renderTable } from '../text/table.ts';
import { quotaChanges, quotas, shownQuota } from '../settings/quota-values.ts';
import { clockFor } from '../text/times.ts';

const KINDS = ['admin', 'client', 'viewer', 'join'] as const;
const SECONDS_MAX = 10 * 366 * 24 * 3_600;
const USES_MAX = 1_000_000;
/** One less, as at the interface: where owners are told apart, a sign may come before it. */
const OWNER_MAX = 199;

interface Flags extends DeskFlags {
  readonly json?: boolean;
}

interface ListFlags extends Flags {
  readonly workers?: boolean;
}

interface CreateFlags extends Flags {
  readonly kind: (typeof KINDS)[number];
  readonly owner?: string;
  readonly label?: string;
  readonly expires?: number;
  readonly uses?: number;
  readonly workerLabel?: Readonly<Record<string, string>>;
  readonly quota?: Readonly<Record<string, number>>;
}

export function declareToken(program: Command, context: Context): void {
  const token = program
    .command('token')
    .description('tokens: who may ask the coordinator, and what')
    .addHelpText(
      'after',
      '\nThe coordinator at --url, MUSTER_URL or the url of the configuration file is asked. Without any of\n' +
        'these the data folder is meant: the coordinator that serves it, or, while none does, the database\n' +
        'itself. That is how the first token is made.',
    );
  const create = token
    .command('create')
    .description('make a token; it is printed once, and nobody can read it again')
    .addOption(
      new Option('--kind <kind>', `what it may do: ${KINDS.join(', ')}`)
        .argParser(oneOf('a kind of token', KINDS))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--owner <name>', 'whose the jobs are that it submits')
        .default(undefined, 'its id; of an admin token admin')
        .argParser(ownerName),
    )
    .addOption(new Option('--label <text>', 'what or whom it is for').argParser(named('a label')))
    .addOption(
      new Option('--expires <time>', 'for how long it is good, like 12h or 30d')
        .default(undefined, 'for good; a join token for an hour')
        .argParser(timeSpan(1, SECONDS_MAX)),
    )
    .addOption(
      new Option('--uses <number>', 'of a join token: how many workers it may register')
        .default(undefined, 'any number')
        .argParser(wholeNumber('a number of workers', 1, USES_MAX)),
    )
    .option(
      '--worker-label <key=value>',
      'of a join token: fixed on every worker that registers with it; may be repeated',
      labels,
    )
    .option(
      '--quota <name=value>',
      `what it may use, like open_jobs=100 or stored_bytes=5GB; may be repeated: ${quotaNames.join(', ')}`,
      quotas,
    )
    .option('--json', 'print the token with all that is known of it')
    .action((flags: CreateFlags, command: Command) => createToken(flags, command, context));
  const list = token
    .command('list')
    .description('list all tokens but those of workers')
    .option('--workers', 'those of workers instead, of cleared ones too; revoked ones are left out')
    .option('--json', 'print an array')
    .action((flags: ListFlags, command: Command) => listTokens(flags, command, context));
  const quota = token
    .command('quota')
    .description('change what a token may use, at once; nothing that is there is taken away')
    .argument('<id>', 'as the list shows it')
    .argument(
      '<name=value...>',
      'like open_jobs=100; open_jobs=default is what tokens of its kind have',
      quotaChanges,
    )
    .option('--json', 'print what is known of it')
    .action((id: string, change: Record<string, number | null>, flags: Flags, command: Command) =>
      setQuota({ id, change }, flags, command, context),
    );
  const revoke = token
    .command('revoke')
    .description('revoke a token at once; what is open in its name ends, a worker with its token')
    .argument('<id>', 'as the list shows it')
    .option('--json', 'print what is known of it')
    .action((id: string, flags: Flags, command: Command) =>
      revokeToken(id, flags, command, context),
    );
  for (const command of [create, list, quota, revoke]) {
    command
      .addOption(settingOption('dataDir'))
      .addOption(settingOption('store'))
      .addOption(settingOption('url').default(undefined, 'the one that serves the data folder'))
      .addOption(settingOption('pin'));
  }
}

async function createToken(flags: CreateFlags, command: Command, context: Context): Promise<void> {
  const made = await atDesk(flags, command, context, true, async (desk) => {
    const token = await desk.create(asked(flags));
    const file = await keepForAdmin(token, desk);
    return { token, file };
  });
  const { token, file } = made!;
  const { terminal, folder } = context;
  if (flags.json) return terminal.json(token);
  terminal.print(token.token);
  const whose = token.kind === 'client' ? ` of the owner ${token.owner}` : '';
  const until = token.expires_at === null ? '' : `; good until ${moment(token.expires_at)}`;
  terminal.note(`${token.kind} token ${token.id}${whose}: shown only now${until}`);
  if (file === undefined) return;
  terminal.note(
    `It is also in ${shownPath(file, folder)}, where muster on this machine finds it. From now on nobody is ` +
      'served without a token, from this machine neither.',
  );
}

function asked({ kind, owner, label, expires, uses, workerLabel, quota }: CreateFlags): TokenAsked {
  return {
    kind,
    ...(owner === undefined ? {} : { owner }),
    ...(label === undefined ? {} : { label }),
    ...(expires === undefined ? {} : { expiresInSeconds: expires }),
    ...(uses === undefined ? {} : { uses }),
    ...(workerLabel === undefined ? {} : { workerLabels: workerLabel }),
    ...(quota === undefined ? {} : { quota }),
  };
}

/** The first admin token is kept for the commands and workers of this machine: the file that it is in. */
async function keepForAdmin(token: NewToken, desk: TokenDesk): Promise<string | undefined> {
  if (token.kind !== 'admin' || desk.dataDir === undefined) return undefined;
  const id = idOf(readAdminToken(desk.dataDir));
  const isKept = async () => {
    const kept = (await desk.list()).find((each) => each.id === id);
    return kept?.status === 'good';
  };
  // With the first token the list, too, is for who shows one: nothing was kept before it.
  if (id !== undefined && (await isKept().catch(() => false))) return undefined;
  writeAdminToken(desk.dataDir, token.token);
  return adminTokenFile(desk.dataDir);
}

async function listTokens(flags: ListFlags, command: Command, context: Context): Promise<void> {
  const { terminal } = context;
  const { workers = false } = flags;
  const list = (desk: TokenDesk) => desk.list({ workers });
  const tokens = (await atDesk(flags, command, context, false, list)) ?? [];
  if (flags.json) return terminal.json(tokens);
  if (workers) return listOfWorkers(tokens, context);
  if (tokens.length === 0) {
    return terminal.note('no tokens: whoever is at this machine may do everything');
  }
  await terminal.write(`${tokenTable(tokens)}\n`);
}

async function listOfWorkers(
  tokens: readonly TokenResource[],
  { terminal }: Context,
): Promise<void> {
  if (tokens.length === 0) return terminal.note('no worker has a token');
  const table = renderTable<TokenResource>(
    [
      { title: 'id', cell: ({ id }) => id },
      { title: 'worker', cell: ({ worker_id: worker }) => worker ?? '' },
      { title: 'name', cell: ({ worker_name: name }) => name ?? '' },
      { title: 'joined by', cell: ({ label }) => label ?? '' },
      { title: 'registered', cell: ({ created_at: time }) => moment(time) },
    ],
    tokens,
  );
  await terminal.write(`${table}\n`);
}

async function setQuota(
  { id, change }: { readonly id: string; readonly change: Readonly<Record<string, number | null>> },
  flags: Flags,
  command: Command,
  context: Context,
): Promise<void> {
  const token = await atDesk(flags, command, context, false, (desk) => desk.setQuota(id, change));
  if (token === undefined) throw noToken();
  if (flags.json) return context.terminal.json(token);
  const set = shownQuotas(token);
  context.terminal.note(
    `token ${id} has ${set === '' ? `the quotas of its kind` : `the quotas ${set}, and the others of its kind`}`,
  );
}

async function revokeToken(
  id: string,
  flags: Flags,
  command: Command,
  context: Context,
): Promise<void> {
  const revoked = await atDesk(flags, command, context, false, async (desk) => {
    const token = await desk.revoke(id);
    const { dataDir } = desk;
    if (dataDir !== undefined && idOf(readAdminToken(dataDir)) === id) removeAdminToken(dataDir);
    return token;
  });
  if (revoked === undefined) throw noToken();
  if (flags.json) return context.terminal.json(revoked);
  context.terminal.note(`token ${id} is revoked; what was open in its name has ended`);
}

function noToken(): CommandFailure {
  return new CommandFailure('refused', 'There is no token: nothing has been made here yet.');
}

async function atDesk<T>(
  flags: Flags,
  command: Command,
  context: Context,
  mayMake: boolean,
  work: (desk: TokenDesk) => Promise<T>,
): Promise<T | undefined> {
  const dataDir = dataDirOf(command, context, readConfig(context.folder));
  const { openTokenDesk } = await import('../process/token-desk.ts');
  const desk = await openTokenDesk(flags, dataDir, context, mayMake);
  if (desk === undefined) return undefined;
  try {
    return await work(desk);
  } finally {
    await desk.close();
  }
}

function tokenTable(tokens: readonly TokenResource[]): string {
  const shownTime = (time: string | null, none: string) => (time === null ? none : moment(time));
  const haveQuota = tokens.some(({ quota }) => Object.keys(quota).length > 0);
  return renderTable<TokenResource>(
    [
      { title: 'id', cell: ({ id }) => id },
      { title: 'kind', cell: ({ kind }) => kind },
      { title: 'owner', cell: ({ owner }) => owner },
      { title: 'label', cell: ({ label }) => label ?? '' },
      { title: 'status', cell: ({ status }) => status.replace('_', ' ') },
      { title: 'expires', cell: ({ expires_at: time }) => shownTime(time, 'never') },
      { title: 'used', cell: ({ last_used_at: time }) => shownTime(time, 'never') },
      { title: 'uses left', cell: ({ uses_left: left }) => String(left ?? ''), align: 'right' },
      ...(haveQuota ? [{ title: 'quota', cell: shownQuotas }] : []),
    ],
    tokens,
  );
}

/** Those that were set. */
function shownQuotas({ quota }: TokenResource): string {
  return Object.entries(quota)
    .map(([key, value]) => `${key}=${shownQuota(key, value)}`)
    .join(', ');
}

function moment(time: string): string {
  return clockFor([], Date.now()).short(time);
}

/** The public id in the text of a token. */
function idOf(token: string | undefined): string | undefined {
  return token?.split('_')[2];
}

/** Keys and blobs of owners and of workers are told apart by a line break. */
function ownerName(text: string): string {
  if (text.length >= 1 && text.length <= OWNER_MAX && !/\p{Cc}/u.test(text)) return text;
  throw new InvalidArgumentError(`An owner is a line of 1 to ${OWNER_MAX} characters.`);
}
