import { expect, test } from 'vitest';
import { FrameMasks } from './frame-masks.ts';

const isZero = (masks: FrameMasks) => {
  // One of 4 billion random masks is zero: of three in a row none is.
  const all = Buffer.alloc(12, 1);
  for (let at = 0; at < 12; at += 4) masks.fill(all.subarray(at, at + 4));
  return all.equals(Buffer.alloc(12));
};

test.each([
  ['on this machine', { remoteAddress: '127.0.0.1' }, true],
  ['on this machine, by the newer protocol', { remoteAddress: '::1' }, true],
  ['on this machine, by both', { remoteAddress: '::ffff:127.0.0.1' }, true],
  ['over TLS', { remoteAddress: '192.0.2.7', encrypted: true }, true],
  ['in clear over a network', { remoteAddress: '192.0.2.7' }, false],
  ['in clear over a network, by the newer protocol', { remoteAddress: '2001:db8::1' }, false],
  ['to nobody knows where', {}, false],
])('a connection %s: are frames sent with a mask of zero?', (_where, way, expected) => {
  const masks = new FrameMasks();
  expect(isZero(masks)).toBe(false);
  masks.connected(way as never);
  expect(isZero(masks)).toBe(expected);
});
