// A certificate (X.509 v3, RFC 5280) for a key on P-256, signed by that key itself.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import {
  bitString,
  integer,
  marked,
  objectId,
  octetString,
  sequence,
  set,
  text,
  time,
  yes,
} from './der.ts';

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

/** Phones and tablets of Apple take no certificate that is good for more than 825 days. */
const daysValid = 820;
const dayMs = 24 * 3_600_000;
/** A device whose clock is slow by up to a day takes it too. */
const earlierMs = dayMs;
const versionThree = Buffer.from([2]);
/** In `KeyUsage` the first bit is digitalSignature. */
const digitalSignature = Buffer.from([0x80]);

/** A new private key, as PEM. */
export function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' });
}

/** As PEM. `names`: host names and addresses that it is for. */
export function signCertificate(
  keyPem: string,
  names: readonly string[],
  now: Date,
  days = daysValid,
): string {
  const key = createPrivateKey(keyPem);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const content = toBeSigned(publicKey, names, now, days);
  const signature = sign('sha256', content, key);
  const certificate = sequence(content, algorithm(), bitString(signature));
  const lines = certificate.toString('base64').replaceAll(/.{1,64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}

export function isP256(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

function toBeSigned(publicKey: Buffer, names: readonly string[], now: Date, days: number): Buffer {
  const from = new Date(now.getTime() - earlierMs);
  const to = new Date(from.getTime() + days * dayMs);
  const name = sequence(set(sequence(objectId(oid.commonName), text('Muster coordinator'))));
  return sequence(
    marked(0, integer(versionThree), true),
    integer(randomBytes(16)),
    algorithm(),
    name,
    sequence(time(from), time(to)),
    name,
    publicKey,
    marked(3, extensions(publicKey, names), true),
  );
}

function extensions(publicKey: Buffer, names: readonly string[]): Buffer {
  const keyId = createHash('sha256').update(publicKey).digest().subarray(0, 20);
  return sequence(
    // An empty sequence: it signs no others.
    extension(oid.basicConstraints, sequence(), true),
    extension(oid.keyUsage, bitString(digitalSignature, 7), true),
    extension(oid.extendedKeyUsage, sequence(objectId(oid.serverAuth)), false),
    extension(oid.subjectKeyId, octetString(keyId), false),
    extension(oid.subjectAltName, sequence(...names.map(generalName)), false),
  );
}

function extension(id: string, content: Buffer, isCritical: boolean): Buffer {
  return sequence(objectId(id), ...(isCritical ? [yes()] : []), octetString(content));
}

function generalName(name: string): Buffer {
  if (isIP(name) !== 0) return marked(7, addressBytes(name), false);
  return marked(2, Buffer.from(name, 'latin1'), false);
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The parser of addresses of the web writes IPv4 inside of IPv6 as groups, too.
  const written = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = written.split('::').map((part) => part.split(':').filter(Boolean));
  const first = head as string[];
  const last = tail ?? [];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  const groups = [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function algorithm(): Buffer {
  return sequence(objectId(oid.ecdsaWithSha256));
}
