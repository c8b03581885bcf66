// At a start: is the key of the certificate the one that was shown before? The audit log in the database tells which
// that was, so a database that was restored without its key is noticed too.

import type { Logger } from 'pino';
import { type AuditPort, byItself } from '../../coordinator/port/audit.ts';
import type { Credentials } from '../../server/tls/credentials.ts';

/** Tells the audit log of a key that it does not know, and the log when it knows another. */
export async function tellCertificate(
  { kind, pin }: Credentials,
  audit: Pick<AuditPort, 'tell' | 'list'>,
  log: Pick<Logger, 'warn' | 'error'>,
  dataDir: string,
): Promise<void> {
  const [last] = await audit.list({ action: 'certificate.change' }, null, 1);
  const before = last?.object;
  if (before === pin) return;
  audit.tell({ ...byItself, action: 'certificate.change', object: pin });
  if (typeof before !== 'string') return;
  const found = `The certificate has another key than before: its pin is ${pin}, it was ${before}.`;
  if (kind === 'own') {
    log.warn(
      `${found} Whoever pins the old one must be told; a renewal that keeps the key spares that.`,
    );
    return;
  }
  log.error(
    `${found} Everybody who pins the old one is shut out: workers, programs, links of \`muster join\`. Unless that ` +
      `is meant, end it, put the tls-key.pem of before into ${dataDir}, and start it again.`,
  );
}
