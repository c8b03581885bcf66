// The address of a coordinator as others are told it: commands of this machine, and other coordinators.

import type { Logger } from 'pino';
import type { CredentialsInForce } from '../../server/tls/credentials-in-force.ts';
import { withPin } from '../../transport/index.ts';
import { writeAddress } from './access-files.ts';

/** Only commands of this machine miss it: a full disk, for one, must not keep a coordinator from serving. */
export function keepServedAddress(dataDir: string, url: string, log: Logger): void {
  try {
    const other = writeAddress(dataDir, url);
    if (other !== undefined) log.warn(folderOfAnother(dataDir, other));
  } catch (error) {
    log.warn(
      `Where this coordinator serves cannot be written to ${dataDir} (${(error as Error).message}): commands here ` +
        'must name it, with --url and --token-file.',
    );
  }
}

/** With the pin, so that whoever reads it there need not be told another way. */
export function addressOf(url: string, credentials: CredentialsInForce | undefined): string {
  return credentials === undefined ? url : withPin(url, credentials.current.pin);
}

/** Others trust a certificate that the coordinator has made itself by its pin, any other by who signed it. */
export function memberUrl(advertise: string, credentials: CredentialsInForce | undefined): string {
  const current = credentials?.current;
  return current?.kind === 'self-signed' ? withPin(advertise, current.pin) : advertise;
}

function folderOfAnother(dataDir: string, other: string): string {
  return (
    `The data folder ${dataDir} is that of the coordinator at ${other}, which goes on: commands and tokens of the ` +
    'folder are for that one. Give this one a folder of its own with --data-dir.'
  );
}
