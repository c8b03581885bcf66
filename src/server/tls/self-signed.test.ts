import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { integer, objectId, octetString, time } from './der.ts';
import { makeKey, signCertificate } from './self-signed.ts';

const key = makeKey();
const now = new Date('2026-11-22T12:00:00Z');
const made = (names: readonly string[], at = now) =>
  new X509Certificate(signCertificate(key, names, at));

describe('a self-signed certificate', () => {
  test('is signed by its own key, on P-256', () => {
    const certificate = made(['localhost']);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(certificate.ca).toBe(false);
  });

  test('is valid from the day before, for 820 days: devices of Apple take no more than 825', () => {
    const { validFromDate, validToDate } = made(['localhost']);
    expect(validFromDate).toEqual(new Date('2026-11-21T12:00:00Z'));
    expect(validToDate).toEqual(new Date('2029-02-18T12:00:00Z'));
  });

  test('may end after 2049, where years have four digits', () => {
    const { validFromDate, validToDate } = made(['localhost'], new Date('2049-01-01T00:00:00Z'));
    expect(validFromDate).toEqual(new Date('2048-12-31T00:00:00Z'));
    expect(validToDate).toEqual(new Date('2051-03-31T00:00:00Z'));
  });

  test('is for the names and addresses that it was made for, and no others', () => {
    const certificate = made(['localhost', 'pc.lan', '127.0.0.1', '::1', '2001:db8::5:0:1']);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkHost('pc.lan')).toBe('pc.lan');
    expect(certificate.checkHost('other.lan')).toBeUndefined();
    expect(certificate.checkIP('127.0.0.1')).toBeDefined();
    expect(certificate.checkIP('::1')).toBeDefined();
    expect(certificate.checkIP('2001:db8::5:0:1')).toBeDefined();
    expect(certificate.checkIP('192.168.1.5')).toBeUndefined();
  });

  test('can have as many names as need a length of three bytes', () => {
    const names = Array.from({ length: 100 }, (_, i) => `host-${i}.some-long-domain.example`);
    expect(made(names).checkHost('host-99.some-long-domain.example')).toBeDefined();
  });
});

describe('DER', () => {
  const hex = (bytes: Buffer) => bytes.toString('hex');

  test('writes integers without leading zeros, but for the sign', () => {
    expect(hex(integer(Buffer.from([0, 0, 1])))).toBe('020101');
    expect(hex(integer(Buffer.from([0x80])))).toBe('02020080');
    expect(hex(integer(Buffer.from([0])))).toBe('020100');
  });

  test('writes the numbers of an object id with seven bits a byte', () => {
    expect(hex(objectId('1.2.840.113549'))).toBe('06062a864886f70d');
  });

  test('writes lengths from 128 on in bytes of their own', () => {
    expect(hex(octetString(Buffer.alloc(127))).slice(0, 4)).toBe('047f');
    expect(hex(octetString(Buffer.alloc(128))).slice(0, 6)).toBe('048180');
    expect(hex(octetString(Buffer.alloc(300))).slice(0, 8)).toBe('0482012c');
  });

  test('writes times of either kind', () => {
    expect(time(new Date('2049-12-31T23:59:59Z')).toString('latin1').slice(2)).toBe(
      '491231235959Z',
    );
    expect(time(new Date('2050-01-01T00:00:00Z')).toString('latin1').slice(2)).toBe(
      '20500101000000Z',
    );
  });
});
