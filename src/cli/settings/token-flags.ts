// Which token a command shows: that of its flags or of the environment, or else the admin's, which lies in the
// data folder of the coordinator that serves at this very address.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { readAddress, readAdminToken } from '../process/access-files.ts';
import { refuseForeignFolder } from './foreign-folder.ts';
import { settingOption, settings } from './settings.ts';

export interface TokenFlags {
  readonly token?: string;
  readonly tokenFile?: string;
}

/** Every command that names a coordinator takes a token. */
export function addTokenFlags(commands: readonly Command[]): void {
  for (const command of commands) {
    addTokenFlags(command.commands);
    const takesUrl = command.options.some(({ long }) => long === '--url');
    if (!takesUrl || command.options.some(({ long }) => long === '--token')) continue;
    command.addOption(settingOption('token')).addOption(settingOption('tokenFile'));
  }
}

/** Fills in the token of a command that takes one, before it runs. */
export function fillInToken(
  command: Command,
  context: Context,
  config: Readonly<Record<string, unknown>>,
): void {
  const { url } = command.opts<{ url?: string }>();
  const takesToken = command.options.some(({ long }) => long === '--token');
  if (!takesToken || url === undefined) return;
  refuseForeignFolder(command, context.folder);
  const shown = showTo(url, command.opts(), dataDirOf(command, context, config), context);
  if (shown.token === undefined) return;
  command.setOptionValueWithSource('token', shown.token, 'implied');
  if (shown.url !== url) command.setOptionValueWithSource('url', shown.url, 'implied');
}

/** To whom which token is shown: `url` as it was asked for, or as the coordinator of the data folder says it. */
export interface Shown {
  readonly url: string;
  readonly token?: string;
}

export function showTo(
  url: string,
  { token, tokenFile }: TokenFlags,
  dataDir: string,
  { folder }: Context,
): Shown {
  if (token !== undefined) return { url, token: token.trim() };
  if (tokenFile !== undefined)
    return { url, token: readTokenFile(resolve(folder, tokenFile), tokenFile) };
  const served = readAddress(dataDir);
  const sent = served === undefined ? undefined : meant(served, url);
  const kept = sent === undefined ? undefined : readAdminToken(dataDir);
  return sent === undefined || kept === undefined ? { url } : { url: sent, token: kept };
}

/** The data folder that a command means: its own flag, or what `serve` would take here. */
export function dataDirOf(
  command: Command,
  { environment, folder }: Context,
  config: Readonly<Record<string, unknown>>,
): string {
  const { variable, key, defaultValue } = settings.dataDir;
  const own = command.opts<{ dataDir?: string }>().dataDir;
  const given = own ?? environment[variable] ?? config[key];
  return resolve(folder, typeof given === 'string' ? given : defaultValue);
}

/** Whether `asked` is the address of the coordinator of the data folder, which says `served`. */
export function isSameCoordinator(served: string, asked: string): boolean {
  return meant(served, asked) !== undefined;
}

function readTokenFile(path: string, given: string): string {
  try {
    const text = readFileSync(path, 'utf8').trim();
    if (text !== '') return text;
  } catch (error) {
    throw new CommandFailure(
      'usage',
      `The token file "${given}" cannot be read: ${(error as Error).message}.`,
      [],
      error,
    );
  }
  throw new CommandFailure('usage', `The token file "${given}" is empty.`);
}

/**
 * The address to which the admin's token is sent when `asked` is that of the coordinator at `served`. `localhost` may
 * stand for several addresses, and somebody else may listen at another of them: `served` is taken for it.
 */
function meant(served: string, asked: string): string | undefined {
  if (!URL.canParse(served) || !URL.canParse(asked)) return undefined;
  const [a, b] = [new URL(served), new URL(asked)];
  if (a.origin === b.origin) return asked;
  const isSame = a.protocol === b.protocol && a.port === b.port && isLoopback(a);
  return isSame && b.hostname === 'localhost' ? served : undefined;
}

function isLoopback({ hostname }: URL): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
