// A self-signed certificate that is made once and kept in a folder. The key never changes, and with it the
// pin by which clients know the coordinator; the certificate is made again when the machine has got other
// addresses, or when it ends soon: at a start, and while the coordinator runs. Two processes that share the folder share the key.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { isIP } from 'node:net';
import { checkCredentials, type Credentials, CredentialsFault } from './credentials.ts';
import { isP256, makeKey, signCertificate } from './self-signed.ts';

/** It is made again when it ends within this time. */
const renewBeforeMs = 90 * 24 * 3_600_000;
const mostValidMs = 825 * 24 * 3_600_000;
/** Addresses that are named in it, at most. */
const mostNames = 100;
const withoutLinks = new Set(['EACCES', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP']);
const nameForm = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/i;

export function keptFiles(folder: string): { readonly certFile: string; readonly keyFile: string } {
  return { certFile: join(folder, 'tls-cert.pem'), keyFile: join(folder, 'tls-key.pem') };
}

/** `names`: what it must be good for. Throws a `CredentialsFault`. */
export function keepCredentials(folder: string, names: readonly string[], now: Date): Credentials {
  const files = keptFiles(folder);
  try {
    const key = readText(files.keyFile) ?? makeKeyOnce(files.keyFile);
    checkKey(key, files.keyFile);
    const found = readText(files.certFile);
    const cert =
      found !== null && isGood(found, key, names, now)
        ? found
        : writeWhole(files.certFile, signCertificate(key, names, now));
    return checkCredentials('self-signed', { cert, key }, files, now);
  } catch (error) {
    if (error instanceof CredentialsFault) throw error;
    const why = (error as Error).message;
    throw new CredentialsFault(
      `The certificate cannot be kept in ${folder} (${why}). Choose another folder with --data-dir.`,
      { cause: error },
    );
  }
}

/** Of this machine: its own names, and every address that others may reach it by. */
export function namesOfMachine(host: string): readonly string[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
    .map(({ address }) => address);
  const listened = isIP(host) !== 0 || nameForm.test(host) ? [host] : [];
  const own = nameForm.test(hostname()) ? [hostname().toLowerCase()] : [];
  const all = ['localhost', '127.0.0.1', '::1', ...listened, ...own, ...addresses.toSorted()];
  return [...new Set(all)]
    .filter((name) => name !== '0.0.0.0' && name !== '::')
    .slice(0, mostNames);
}

function isGood(cert: string, key: string, names: readonly string[], now: Date): boolean {
  try {
    const found = new X509Certificate(cert);
    return (
      found.checkPrivateKey(createPrivateKey(key)) &&
      found.validFromDate <= now &&
      found.validToDate.getTime() - now.getTime() > renewBeforeMs &&
      // Versions before this one made certificates that devices of Apple refuse.
      found.validToDate.getTime() - found.validFromDate.getTime() <= mostValidMs &&
      names.every((name) => isFor(found, name))
    );
  } catch {
    return false;
  }
}

function isFor(certificate: X509Certificate, name: string): boolean {
  const found = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name);
  return found !== undefined;
}

function checkKey(key: string, file: string): void {
  let isOurs: boolean;
  try {
    isOurs = isP256(createPrivateKey(key));
  } catch {
    isOurs = false;
  }
  if (isOurs) return;
  throw new CredentialsFault(
    `${file} does not hold a key that this program has made. Put the right file back, or remove it: ` +
      'a new key is made then, and every client needs its new pin.',
  );
}

/** A key that another process has made meanwhile is taken instead. */
function makeKeyOnce(file: string): string {
  const key = makeKey();
  const draft = writeDraft(file, key);
  try {
    linkSync(draft, file);
    return key;
  } catch (error) {
    const found = readText(file);
    if (found !== null) return found;
    // Some file systems have no links, and Android allows none.
    if (!withoutLinks.has((error as { code: string }).code)) {
      throw error;
    }
    renameSync(draft, file);
    return key;
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeWhole(file: string, content: string): string {
  renameSync(writeDraft(file, content), file);
  return content;
}

/** On the disk when it returns; nobody else may read it. */
function writeDraft(file: string, content: string): string {
  const draft = `${file}.${process.pid}.${performance.now()}`;
  writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush: true });
  chmodSync(draft, 0o600);
  return draft;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
