import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { networks, pin } from '../settings/flag-values.ts';
import { ownFiles } from './tls-settings.ts';

test('a certificate of one’s own has two files, relative to the folder', () => {
  expect(ownFiles({}, '/some')).toBeUndefined();
  expect(ownFiles({ tls: 'self-signed' }, '/some')).toBeUndefined();
  expect(ownFiles({ tls: 'off', tlsCert: 'a.pem', tlsKey: '/b.pem' }, '/some')).toEqual({
    certFile: resolve('/some/a.pem'),
    keyFile: resolve('/b.pem'),
  });
});

test.each([
  [{ tlsCert: 'a' }, /^--tls-cert needs --tls-key/],
  [{ tlsKey: 'b' }, /^--tls-key needs --tls-cert/],
  [{ tls: 'self-signed', tlsCert: 'a', tlsKey: 'b' }, /choose one\.$/],
] as const)('%o is refused with a sentence', (settings, sentence) => {
  expect(() => ownFiles(settings, '/some')).toThrow(sentence);
});

test('networks of proxies add up, and a name is none', () => {
  expect(networks('10.0.0.0/8, ::1', ['127.0.0.1'])).toEqual(['127.0.0.1', '10.0.0.0/8', '::1']);
  expect(() => networks('proxy.lan', undefined)).toThrow(/"proxy\.lan" is not a network/);
});

test('a pin that is none is refused', () => {
  expect(() => pin('abc')).toThrow(/"abc" is not a pin: it has 43/);
});
