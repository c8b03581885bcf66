// Checks the certificate that `muster serve` with the same settings would show, and who may read its key.
// Nothing is made or renewed.

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Credentials,
  type CredentialsFiles,
  isoSeconds,
} from '../../server/tls/credentials.ts';
import { daysLeft, endsSoon } from '../../server/tls/credentials-in-force.ts';
import { keptFiles } from '../../server/tls/kept-credentials.ts';
import { readCredentials } from '../../server/tls/own-credentials.ts';
import { ownFiles, type TlsSettings } from '../process/tls-settings.ts';
import { counted } from '../text/wording.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const CHECK = 'certificate';
const othersBits = 0o077;

/** No findings when nothing of TLS is set, and no certificate has been made. */
export function checkTls(settings: TlsSettings, folder: string, now: Date): readonly Finding[] {
  const own = ownFiles(settings, folder);
  const files = own ?? keptFiles(resolve(folder, settings.dataDir));
  if (own === undefined && !existsSync(files.keyFile)) {
    if (settings.tls !== 'self-signed') return [];
    return [ok(CHECK, `${files.certFile} will be made by the first start`)];
  }
  try {
    const credentials = readCredentials(own === undefined ? 'self-signed' : 'own', files, now);
    return [judge(credentials, now), ...permissions(files)];
  } catch (error) {
    const advice =
      own === undefined
        ? 'Put the file back, or remove both: `muster serve --tls self-signed` makes them anew.'
        : 'Mend the files that --tls-cert and --tls-key name.';
    return [problem(CHECK, (error as Error).message, advice), ...permissions(files)];
  }
}

function judge(credentials: Credentials, now: Date): Finding {
  const soon = endsSoon(credentials, now);
  if (soon !== null && credentials.kind === 'own') {
    return warning(CHECK, `its pin is ${credentials.pin}; it ends soon`, soon);
  }
  const until = isoSeconds(credentials.endsAt);
  const left = counted(daysLeft(credentials, now), 'day');
  return ok(CHECK, `its pin is ${credentials.pin}; valid until ${until} (${left})`);
}

/** Whoever reads the key can pass for the coordinator. */
function permissions({ keyFile }: CredentialsFiles): readonly Finding[] {
  if (process.platform === 'win32') return [];
  const found = statSync(keyFile, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & othersBits) === 0) return [];
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  return [warning('key', `others may read ${keyFile} (${mode})`, `chmod 600 ${keyFile}`)];
}
