// From the settings of TLS to the certificate that a coordinator shows. Nothing of it is loaded without
// them.

import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type {
  CredentialsInForce,
  CredentialsSource,
} from '../../server/tls/credentials-in-force.ts';
import { CommandFailure } from '../command-failure.ts';

export interface TlsSettings {
  /** Where it listens. */
  readonly host: string;
  readonly dataDir: string;
  readonly tls?: 'self-signed' | 'off';
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** Undefined when plain HTTP is spoken. Throws a `CredentialsFault`, or a `CommandFailure`. */
export async function openCredentials(
  settings: TlsSettings,
  folder: string,
  log: Logger,
): Promise<CredentialsInForce | undefined> {
  const source = await credentialsSource(settings, folder);
  if (source === undefined) return undefined;
  const { CredentialsInForce: InForce } = await import('../../server/tls/credentials-in-force.ts');
  return new InForce(source, log);
}

async function credentialsSource(
  settings: TlsSettings,
  folder: string,
): Promise<CredentialsSource | undefined> {
  const files = ownFiles(settings, folder);
  if (files !== undefined) {
    const { markOfFiles, readCredentials } = await import('../../server/tls/own-credentials.ts');
    return { read: (now) => readCredentials('own', files, now), mark: () => markOfFiles(files) };
  }
  if (settings.tls !== 'self-signed') return undefined;
  const { keepCredentials, namesOfMachine } = await import('../../server/tls/kept-credentials.ts');
  const names = () => namesOfMachine(settings.host);
  const place = resolve(folder, settings.dataDir);
  return {
    read: (now) => keepCredentials(place, names(), now),
    // With the day: it is made again before it ends.
    mark: () => `${names().join(' ')} ${new Date().toISOString().slice(0, 10)}`,
  };
}

/** Undefined when neither is named. */
export function ownFiles(
  { tls, tlsCert, tlsKey }: Pick<TlsSettings, 'tls' | 'tlsCert' | 'tlsKey'>,
  folder: string,
): { readonly certFile: string; readonly keyFile: string } | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    const [named, missing] =
      tlsCert === undefined ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key'];
    throw new CommandFailure(
      'usage',
      `${named} needs ${missing} (MUSTER_TLS_CERT, MUSTER_TLS_KEY).`,
    );
  }
  if (tls === 'self-signed') {
    throw new CommandFailure(
      'usage',
      'A certificate is either made (--tls self-signed) or your own (--tls-cert, --tls-key): choose one.',
    );
  }
  return { certFile: resolve(folder, tlsCert), keyFile: resolve(folder, tlsKey) };
}
