import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CredentialsInForce, endsSoon } from './credentials-in-force.ts';
import { markOfFiles, readCredentials } from './own-credentials.ts';
import { makeKey, signCertificate } from './self-signed.ts';

const now = new Date('2026-11-22T12:00:00Z');
const key = makeKey();
let folder: string;
let files: { certFile: string; keyFile: string };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-tls-'));
  files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  put(signCertificate(key, ['localhost'], now), key);
});

afterEach(() => rmSync(folder, { recursive: true }));

function put(cert: string, itsKey: string): void {
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, itsKey);
}

const sentence = (at = now): string => {
  try {
    readCredentials('own', files, at);
    return 'taken';
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder}/`, '');
  }
};

describe('a certificate in files', () => {
  test('is taken with its key', () => {
    expect(sentence()).toBe('taken');
  });

  test('is refused when a file is missing', () => {
    rmSync(files.keyFile);
    expect(sentence()).toBe('The key key.pem cannot be read: there is no such file.');
    rmSync(files.certFile);
    expect(sentence()).toBe('The certificate cert.pem cannot be read: there is no such file.');
  });

  test('is refused when it is something else', () => {
    writeFileSync(files.certFile, 'hello');
    expect(sentence()).toMatch(/^cert\.pem does not hold a certificate: it begins with/);
  });

  test('is refused when the key is something else, or locked', () => {
    writeFileSync(files.keyFile, 'hello');
    expect(sentence()).toMatch(/^key\.pem does not hold a private key: it begins with/);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const locked = {
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    } as const;
    writeFileSync(files.keyFile, privateKey.export(locked));
    expect(sentence()).toMatch(/^The key in key\.pem is locked with a passphrase/);
  });

  test('is refused when the key is of another', () => {
    writeFileSync(files.keyFile, makeKey());
    expect(sentence()).toMatch(
      /^The key in key\.pem does not belong to the certificate in cert\.pem/,
    );
  });

  test('is refused when it has expired, or is not valid yet', () => {
    expect(sentence(new Date('2029-02-18T12:00:00Z'))).toBe(
      'The certificate in cert.pem has expired at 2029-02-18T12:00:00Z. Get a new one.',
    );
    expect(sentence(new Date('2026-11-20T00:00:00Z'))).toMatch(
      /is valid only from 2026-11-21T12:00:00Z on\. Is the clock/,
    );
  });

  test('is warned about from two weeks before its end on', () => {
    const found = readCredentials('own', files, now);
    expect(endsSoon(found, new Date('2029-02-04T12:00:00Z'))).toBeNull();
    expect(endsSoon(found, new Date('2029-02-05T12:00:00Z'))).toMatch(/expires in 13 days/);
    expect(endsSoon(found, new Date('2029-02-18T11:00:00Z'))).toMatch(/expires today/);
    expect(endsSoon(found, new Date('2036-11-23T12:00:00Z'))).toMatch(/has expired/);
  });
});

describe('a certificate that is renewed', () => {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  let inForce: CredentialsInForce;
  let seen: string[];

  beforeEach(() => {
    lines.length = 0;
    seen = [];
    put(signCertificate(key, ['localhost'], new Date()), key);
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as never) });
    inForce = new CredentialsInForce(
      { read: (at) => readCredentials('own', files, at), mark: () => markOfFiles(files) },
      log,
    );
    inForce.onChange(({ cert }) => seen.push(cert));
  });

  afterEach(() => inForce.stop());

  test('comes into force on request', () => {
    const cert = signCertificate(key, ['pc.lan'], new Date());
    put(cert, key);
    inForce.reload();
    expect(seen).toEqual([cert]);
    expect(inForce.current.cert).toBe(cert);
    expect(lines.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^A new certificate is in force, until .*Z\. The pin is the same\.$/),
    ]);
  });

  test('comes into force by itself when the files look the same twice', () => {
    const other = makeKey();
    const cert = signCertificate(other, ['pc.lan'], new Date());
    put(cert, other);
    inForce.look();
    expect(seen).toEqual([]);
    inForce.look();
    expect(seen).toEqual([cert]);
    expect(lines[0]?.msg).toMatch(/The pin is another: [\w-]{43}\./);
    inForce.look();
    expect(seen).toHaveLength(1);
  });

  test('does not, when its source cannot be looked at any more: the log says so, and nothing ends', () => {
    const { cert } = inForce.current;
    let fault: Error | null = null;
    const failing = new CredentialsInForce(
      {
        read: () => {
          if (fault !== null) throw fault;
          return inForce.current;
        },
        mark: () => {
          if (fault !== null) throw fault;
          return 'same';
        },
      },
      pino({}, { write: (line) => void lines.push(JSON.parse(line) as never) }),
    );
    fault = new Error('EACCES: permission denied');
    failing.look();
    failing.look();
    failing.stop();
    expect(failing.current.cert).toBe(cert);
    expect(lines.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/in force stays; .* EACCES: permission denied/),
    ]);
  });

  test('does not, when it cannot be used: the old one stays, and the log says why', () => {
    const { cert } = inForce.current;
    writeFileSync(files.keyFile, makeKey());
    inForce.reload();
    rmSync(files.certFile);
    inForce.look();
    inForce.look();
    expect(seen).toEqual([]);
    expect(inForce.current.cert).toBe(cert);
    expect(lines.map(({ level, msg }) => [level, msg.replaceAll(`${folder}/`, '')])).toEqual([
      [50, expect.stringMatching(/in force stays; .* The key in key\.pem does not belong/)],
      [50, expect.stringMatching(/in force stays; .* The certificate cert\.pem cannot be read/)],
    ]);
  });
});
