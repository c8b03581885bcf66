import { expect, test } from 'vitest';
import { isAsTrusted } from './other-coordinators.ts';

test.each([
  ['http://10.0.0.2:8000', 'http://10.0.0.1:8000', true],
  ['https://b.example', 'http://10.0.0.1:8000', true],
  ['https://b.example', 'https://a.example', true],
  ['https://b.example#k=1234', 'https://a.example', true],
  // Whoever is on the way could answer for it.
  ['http://b.example', 'https://a.example', false],
  ['https://user:secret@b.example', 'https://a.example', false],
  ['ftp://b.example', 'http://10.0.0.1:8000', false],
  ['ws://b.example', 'http://10.0.0.1:8000', false],
  ['b.example', 'http://10.0.0.1:8000', false],
  ['', 'http://10.0.0.1:8000', false],
  // It is its own.
  ['https://a.example/', 'https://a.example', false],
])('%s is an address for a worker of %s: %s', (other, own, isIt) => {
  expect(isAsTrusted(other, own)).toBe(isIt);
});
