// `muster join`: a link with which another device joins, as text and as a QR code.

import { type Command, Option } from 'commander';
import type { JoinLinkResource } from '../../client/index.ts';
import { type ClientFlags, type Context, openClient } from '../context.ts';
import { readAddress } from '../process/access-files.ts';
import { labels, named, timeSpan, wholeNumber } from '../settings/flag-values.ts';
import { readConfig } from '../settings/config-file.ts';
import { settingOption, settings } from '../settings/settings.ts';
import { dataDirOf, showTo, type TokenFlags } from '../settings/token-flags.ts';
import { qrText } from '../text/qr-text.ts';
import type { Terminal } from '../text/terminal.ts';
import { clockFor } from '../text/times.ts';
import { ahead, counted } from '../text/wording.ts';

const SECONDS_MAX = 30 * 24 * 3_600;
const USES_MAX = 1_000_000;

interface Flags extends Omit<ClientFlags, 'url'>, TokenFlags {
  readonly url?: string;
  readonly label?: string;
  readonly uses?: number;
  readonly expires?: number;
  readonly workerLabel?: Readonly<Record<string, string>>;
  readonly approve?: boolean;
  readonly address?: string;
}

export function declareJoin(program: Command, context: Context): void {
  program
    .command('join')
    .description('make a link, and a QR code, that lets another device join as a worker')
    .addOption(
      new Option('--uses <number>', 'how many devices may join with it')
        .default(undefined, '1')
        .argParser(wholeNumber('a number of devices', 1, USES_MAX)),
    )
    .addOption(
      new Option('--expires <time>', 'for how long it is good, like 10m or 2d')
        .default(undefined, '1h')
        .argParser(timeSpan(1, SECONDS_MAX)),
    )
    .addOption(new Option('--label <text>', 'for whom or what it is').argParser(named('a label')))
    .option(
      '--worker-label <key=value>',
      'fixed on every worker that joins with it; may be repeated',
      labels,
    )
    .option('--approve', 'who joins with it waits until a person lets it in (muster approve)')
    .addOption(
      new Option(
        '--address <host>',
        'by which devices reach the coordinator: host, host:port or https://host:port',
      ).default(undefined, 'one that is found'),
    )
    .addOption(settingOption('url').default(undefined, 'the one that serves the data folder'))
    .addOption(settingOption('pin'))
    .addOption(settingOption('dataDir'))
    .option('--json', 'print the link with all that is known of it')
    .action((flags: Flags, command: Command) => makeLink(flags, command, context));
}

async function makeLink(flags: Flags, command: Command, context: Context): Promise<void> {
  const { label, uses, expires, workerLabel, approve, address, json } = flags;
  const dataDir = dataDirOf(command, context, readConfig(context.folder));
  // The address in the data folder has its pin.
  const known = flags.url === undefined ? readAddress(dataDir) : undefined;
  const asked = known ?? flags.url ?? settings.url.defaultValue;
  const pin = known === undefined ? flags.pin : undefined;
  const client = await openClient({
    ...showTo(asked, flags, dataDir, context),
    ...(pin === undefined ? {} : { pin }),
  });
  const made = await client.joinLink({
    ...(label === undefined ? {} : { label }),
    ...(uses === undefined ? {} : { uses }),
    ...(expires === undefined ? {} : { expiresInSeconds: expires }),
    ...(workerLabel === undefined ? {} : { workerLabels: workerLabel }),
    ...(approve === true ? { needsApproval: true } : {}),
    ...(address === undefined ? {} : { address }),
  });
  if (json === true) {
    const { qr: _qr, ...told } = made;
    return context.terminal.json(told);
  }
  await tell(made, context.terminal);
}

async function tell(made: JoinLinkResource, terminal: Terminal): Promise<void> {
  terminal.print(made.link);
  const { qr } = made;
  const columns = qr[0]?.length ?? 0;
  if (terminal.isWatched && columns <= terminal.columns) {
    await terminal.write(`\n${qrText(qr, terminal.colors)}\n\n`);
    terminal.note('A phone or a tablet scans the code, and works in its browser.');
  }
  for (const line of aboutLink(made)) terminal.note(line);
  if (terminal.isWatched && columns > terminal.columns) {
    terminal.note(
      `The QR code needs ${columns} columns, and this terminal has ${terminal.columns}: make it wider, and ask again.`,
    );
  }
}

function aboutLink(made: JoinLinkResource): readonly string[] {
  const { id, uses_left: uses, expires_at: end, link, address, other_addresses: others } = made;
  const ends = end === null ? '' : `; ends ${ahead(end, Date.now())} (${moment(end)})`;
  const devices = uses === 1 ? 'one device' : counted(uses ?? 0, 'device');
  const who = made.needs_approval
    ? 'Whoever has the link can ask; let a device in with  muster approve WORKER.'
    : 'Whoever has the link can join.';
  return [
    `On the other device:  muster worker '${link}'`,
    `For ${devices}${ends}. ${who} To take it back:  muster token revoke ${id}`,
    ...(made.only_this_machine ? [onlyHere(address)] : [`It names ${address}.`]),
    ...(others.length === 0
      ? []
      : [`Also found: ${others.join(', ')}; take another one with --address.`]),
  ];
}

function onlyHere(address: string): string {
  return (
    `Only this machine can join: ${address} is not reached from others. To let them join, start the ` +
    'coordinator with --host 0.0.0.0 --tls self-signed; if they reach it by another address, name it with --address.'
  );
}

function moment(time: string): string {
  return clockFor([], Date.now()).short(time);
}
