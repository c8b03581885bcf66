// Tells where the audit log of this data folder is as a file, and who may read it.

import { statSync } from 'node:fs';
import { auditFilePath } from '../process/audit-file.ts';
import { type Finding, ok, warning } from './finding.ts';

const CHECK = 'audit log';
const othersBits = 0o077;

/** Undefined when none was written. */
export function checkAudit(dataDir: string): Finding | undefined {
  const path = auditFilePath(dataDir);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (process.platform !== 'win32' && (found.mode & othersBits) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    return warning(CHECK, `others may read ${path} (${mode})`, `chmod 600 ${path}`);
  }
  return ok(CHECK, `${path} (${Math.ceil(found.size / 1_024)} kB)`);
}
