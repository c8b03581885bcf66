// What a server shows and proves under TLS: a certificate and its key, read from texts in PEM and checked.

import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

export interface Credentials {
  readonly kind: 'self-signed' | 'own';
  /** PEM; behind it those of who signed it, if there are any. */
  readonly cert: string;
  readonly key: string;
  /** By which clients know it, whatever else the certificate says. */
  readonly pin: string;
  readonly endsAt: Date;
  /** The file of the certificate, for messages. */
  readonly file: string;
}

/** They cannot be used; the message says why and what to do. */
export class CredentialsFault extends Error {
  override readonly name = 'CredentialsFault';
}

/** For messages about certificates, as it is named there. */
export interface CredentialsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** SHA-256 of the public key with its kind (SubjectPublicKeyInfo), in base64url: 43 characters. */
export function pinOf(certificate: X509Certificate): string {
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('base64url');
}

/** Throws a `CredentialsFault`. */
export function checkCredentials(
  kind: Credentials['kind'],
  { cert, key }: { readonly cert: string; readonly key: string },
  { certFile, keyFile }: CredentialsFiles,
  now: Date,
): Credentials {
  const certificate = parseCertificate(cert, certFile);
  const privateKey = parseKey(key, keyFile);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CredentialsFault(
      `The key in ${keyFile} does not belong to the certificate in ${certFile}. The server's own ` +
        'certificate must be the first in its file.',
    );
  }
  const startsAt = new Date(certificate.validFrom);
  const endsAt = new Date(certificate.validTo);
  if (endsAt <= now) {
    throw new CredentialsFault(
      `The certificate in ${certFile} has expired at ${isoSeconds(endsAt)}. Get a new one.`,
    );
  }
  if (startsAt > now) {
    throw new CredentialsFault(
      `The certificate in ${certFile} is valid only from ${isoSeconds(startsAt)} on. Is the clock of ` +
        'this machine right?',
    );
  }
  try {
    createSecureContext({ ...tlsRules, cert, key });
  } catch (error) {
    throw new CredentialsFault(
      `TLS does not take the certificate in ${certFile} with its key: ${(error as Error).message}.`,
      { cause: error },
    );
  }
  return { kind, cert, key, pin: pinOf(certificate), endsAt, file: certFile };
}

/** The version of TLS that is spoken. */
export const tlsRules = { minVersion: 'TLSv1.3' } as const;

export function isoSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}

function parseCertificate(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new CredentialsFault(
      `${file} does not hold a certificate: it begins with "-----BEGIN CERTIFICATE-----" (PEM).`,
      { cause: error },
    );
  }
}

function parseKey(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const needsPassphrase = /ENCRYPTED/.test(pem);
    throw new CredentialsFault(
      needsPassphrase
        ? `The key in ${file} is locked with a passphrase. Write one without: openssl pkey -in ${file} -out KEY.`
        : `${file} does not hold a private key: it begins with "-----BEGIN PRIVATE KEY-----" (PEM).`,
      { cause: error },
    );
  }
}
