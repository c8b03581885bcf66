import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { signCertificate } from './self-signed.ts';
import { keepCredentials, keptFiles, namesOfMachine } from './kept-credentials.ts';

const now = new Date('2026-11-22T12:00:00Z');
const names = ['localhost', '127.0.0.1'];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-tls-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('a certificate that is made by the coordinator', () => {
  test('is the same at the next start', () => {
    const first = keepCredentials(folder, names, now);
    expect(keepCredentials(folder, names, now)).toEqual(first);
    expect(first.pin).toMatch(/^[\w-]{43}$/);
  });

  test('lies in two files that nobody else may read, and leaves no draft', () => {
    keepCredentials(folder, names, now);
    expect(readdirSync(folder).toSorted()).toEqual(['tls-cert.pem', 'tls-key.pem']);
    for (const file of Object.values(keptFiles(folder))) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  test('is made again with the same key when the machine has another address', () => {
    const first = keepCredentials(folder, names, now);
    const second = keepCredentials(folder, [...names, '192.168.1.5'], now);
    expect(second.cert).not.toBe(first.cert);
    expect(second.pin).toBe(first.pin);
    expect(new X509Certificate(second.cert).checkIP('192.168.1.5')).toBeDefined();
    // An address that has gone makes no new one.
    expect(keepCredentials(folder, names, now).cert).toBe(second.cert);
  });

  test('is made again with the same key before it ends', () => {
    const first = keepCredentials(folder, names, now);
    const early = keepCredentials(folder, names, new Date('2028-11-19T00:00:00Z'));
    expect(early.cert).toBe(first.cert);
    const late = keepCredentials(folder, names, new Date('2028-11-21T00:00:00Z'));
    expect(late.endsAt).toEqual(new Date('2031-02-18T00:00:00Z'));
    expect(late.pin).toBe(first.pin);
  });

  test('is made again with the same key when it is good for longer than devices of Apple take', () => {
    const { pin } = keepCredentials(folder, names, now);
    const { certFile, keyFile } = keptFiles(folder);
    const long = signCertificate(readFileSync(keyFile, 'utf8'), names, now, 3_650);
    writeFileSync(certFile, long);
    const kept = keepCredentials(folder, names, now);
    expect(kept.endsAt).toEqual(new Date('2029-02-18T12:00:00Z'));
    expect(kept.pin).toBe(pin);
    expect(readFileSync(certFile, 'utf8')).not.toBe(long);
  });

  test('is made again when its file is damaged, or of another key', () => {
    const { pin } = keepCredentials(folder, names, now);
    writeFileSync(keptFiles(folder).certFile, 'nothing');
    expect(keepCredentials(folder, names, now).pin).toBe(pin);
  });

  test('is refused with a sentence when the key is damaged: a new one would be another pin', () => {
    keepCredentials(folder, names, now);
    writeFileSync(keptFiles(folder).keyFile, '');
    expect(() => keepCredentials(folder, names, now)).toThrow(
      /tls-key\.pem does not hold a key that this program has made\. .* every client needs its new pin/,
    );
    expect(readFileSync(keptFiles(folder).keyFile, 'utf8')).toBe('');
  });

  test('is refused with a sentence when the folder cannot be written', () => {
    expect(() => keepCredentials(join(folder, 'missing'), names, now)).toThrow(
      /cannot be kept in .*missing .*--data-dir/,
    );
  });

  test('has one key when two processes make it at once', async () => {
    const module = pathToFileURL(join(import.meta.dirname, 'kept-credentials.ts')).href;
    const folders = Array.from({ length: 60 }, (_, i) => join(folder, String(i)));
    for (const each of folders) mkdirSync(each);
    const program = `
      import { keepCredentials } from ${JSON.stringify(module)};
      process.send('ready');
      process.once('message', (folders) => {
        const pins = folders.map((each) => keepCredentials(each, ['localhost'], new Date()).pin);
        process.send(pins, () => process.disconnect());
      });`;
    const children = [1, 2].map(() =>
      spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    );
    await Promise.all(children.map((child) => once(child, 'message')));
    const told = children.map((child) => once(child, 'message') as Promise<[string[]]>);
    for (const child of children) child.send(folders);
    const [[first], [second]] = (await Promise.all(told)) as [[string[]], [string[]]];
    expect(first).toEqual(second);
    expect(new Set(first).size).toBe(60);
  });
});

test('the names of this machine begin with loopback, and have where it listens', () => {
  const found = namesOfMachine('127.0.0.2');
  expect(found.slice(0, 4)).toEqual(['localhost', '127.0.0.1', '::1', '127.0.0.2']);
  expect(namesOfMachine('0.0.0.0')).not.toContain('0.0.0.0');
  expect(found.some((name) => /^fe80/i.test(name))).toBe(false);
});
