import { expect, test } from 'vitest';
import { writeToken } from '../../protocol/token-text.ts';
import { readLink } from './link.ts';

const token = writeToken({ kind: 'join', id: '0000abcd', secret: '-_'.repeat(16) });
const pin = 'A'.repeat(43);

test.each([
  `https://host/worker#t=${token}`,
  `https://host/worker#t=${token}.k=${pin}`,
  `https://host/worker#k=${pin}&t=${token}`,
  `https://host/worker%23t=${token}.k=${pin}`,
  `https://host/worker#t%3D${token}`,
])('reads the token out of %s', (address) => {
  expect(readLink(address)).toEqual({ kind: 'token', token });
});

test('an address without anything behind it holds no link', () => {
  expect(readLink('https://host/worker')).toEqual({ kind: 'none' });
  expect(readLink('https://host/worker#')).toEqual({ kind: 'none' });
});

test.each([
  `https://host/worker#t=${token.slice(0, -1)}`,
  `https://host/worker#${token}`,
  'https://host/worker#t=',
  'https://host/worker#%E0%A4%A',
  `https://host/worker#t=${writeToken({ kind: 'client', id: '0000abcd', secret: '-_'.repeat(16) })}`,
])('says of %s that it is no whole link', (address) => {
  expect(readLink(address)).toEqual({ kind: 'damaged' });
});
