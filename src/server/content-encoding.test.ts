import { expect, test } from 'vitest';
import { chooseEncoding } from './content-encoding.ts';

const offered = ['br', 'gzip'];

test.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['*;q=0', null],
  ['br;q=x', null],
  ['gzip;q=0.5;level=1 , ;q=1', 'gzip'],
])('to a client that takes %j is sent %j', (accepted, chosen) => {
  expect(chooseEncoding(accepted, offered)).toBe(chosen);
});
