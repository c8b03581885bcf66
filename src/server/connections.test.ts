import { describe, expect, test } from 'vitest';
import { addressAccount, Connections, workerAccount } from './connections.ts';

describe('an account', () => {
  test('takes as many as the limit, and another only when one leaves', () => {
    const connections = new Connections(2);
    const first = connections.enter('a');
    expect(connections.enter('a')).not.toBeNull();
    expect(connections.enter('a')).toBeNull();
    expect(connections.enter('b')).not.toBeNull();
    first!.leave();
    expect(connections.enter('a')).not.toBeNull();
    expect(connections.enter('a')).toBeNull();
  });

  test('has room again when a place has moved away, and refuses one when it is full', () => {
    const connections = new Connections(1);
    const place = connections.enter('a')!;
    expect(place.move('w')).toBe(true);
    const next = connections.enter('a')!;
    expect(next.move('w')).toBe(false);
    expect(connections.enter('a')).toBeNull();
    place.leave();
    expect(next.move('w')).toBe(true);
    next.leave();
    expect(connections.enter('a')).not.toBeNull();
    expect(connections.enter('w')).not.toBeNull();
  });
});

describe('an address', () => {
  test.each([
    ['127.0.0.1', '::1'],
    ['127.0.0.1', '127.255.0.3'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
    ['192.168.1.5', '::ffff:192.168.1.5'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8::1', '2001:0db8:0:0:9::'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
    ['::2', '::3'],
  ])('%s is counted with %s', (one, other) => {
    expect(addressAccount(one)).toBe(addressAccount(other));
  });

  test.each([
    ['192.168.1.5', '192.168.1.6'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8:1::', '2001:db8::1'],
    ['::1', '::2'],
    ['::1', '192.168.1.5'],
  ])('%s is not counted with %s', (one, other) => {
    expect(addressAccount(one)).not.toBe(addressAccount(other));
  });

  test('is never the account of a worker', () => {
    expect(addressAccount('w')).not.toBe(workerAccount('w'));
  });
});
