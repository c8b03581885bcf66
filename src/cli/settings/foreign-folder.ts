// A folder that came from elsewhere may hold a `muster.config.json`: it must not send a token of the person to an
// address of its own choice. What a person names for the command itself is theirs to name.

import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import { CONFIG_FILE } from './config-file.ts';
import { settings } from './settings.ts';

/** Throws when the address is the folder's, and the token that would be shown there is not. */
export function refuseForeignFolder(command: Command, folder: string): void {
  if (command.getOptionValueSource('url') !== 'config') return;
  const { url, token, tokenFile } = command.opts<{
    url: string;
    token?: string;
    tokenFile?: string;
  }>();
  // Whoever listens here would be told the token without the file too: this is the usual address.
  if (isLoopback(url)) return;
  const name = token === undefined ? 'tokenFile' : 'token';
  const source = command.getOptionValueSource(name);
  const address = shownAddress(url);
  const advice = [
    `If it is meant, name the address yourself, with --url or ${settings.url.variable}.`,
  ];
  if (source === 'env') {
    throw new CommandFailure(
      'usage',
      `${CONFIG_FILE} of this folder names the coordinator ${address}, and ${settings[name].variable} the token: ` +
        'it is not shown there, as a folder from elsewhere could collect tokens so.',
      advice,
    );
  }
  if (source === 'config' && tokenFile !== undefined && !isWithin(folder, tokenFile)) {
    throw new CommandFailure(
      'usage',
      `${CONFIG_FILE} of this folder names the coordinator ${address}, and a token file outside of the folder: ` +
        'it is not shown there, as a folder from elsewhere could collect tokens so.',
      advice,
    );
  }
}

/** Links are followed: one may lead out of the folder. */
function isWithin(folder: string, file: string): boolean {
  try {
    const way = relative(realpathSync(folder), realpathSync(resolve(folder, file)));
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  } catch {
    // Nothing can be read there, which the next to look says.
    return true;
  }
}

function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/.test(new URL(url).hostname);
}

/** As it may stand in a sentence: nothing of it means anything to a terminal. */
function shownAddress(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'that it names';
}
