import { expect, test } from 'vitest';
import { Callers } from './callers.ts';
import { MemberProof } from './member-proof.ts';

const proof = new MemberProof(() => 'the secret');
const socket = { remoteAddress: '10.0.0.2' };
const forwarded = {
  host: '10.0.0.1:8000',
  'x-forwarded-for': '192.0.2.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'muster.example',
};

test('who knows the secret is believed about who asks', () => {
  const headers = { ...forwarded, 'x-muster-member': 'the secret' };
  const callers = new Callers([], proof);
  expect(callers.of({ socket, headers })).toEqual({
    address: '192.0.2.9',
    scheme: 'https',
    host: 'muster.example',
    isProxied: false,
    isPassedOn: true,
  });
  expect([callers.isMemberAddress('::ffff:10.0.0.2'), callers.isMemberAddress('10.0.0.3')]).toEqual(
    [true, false],
  );
});

test.each(['', 'the secre', 'the secret ', 'the secret, the secret'])(
  'who shows %j is whoever the connection is of',
  (given) => {
    const callers = new Callers([], proof);
    const headers = { ...forwarded, 'x-muster-member': given };
    expect(callers.of({ socket, headers })).toEqual({
      address: '10.0.0.2',
      scheme: 'http',
      host: '10.0.0.1:8000',
      isProxied: false,
      isPassedOn: false,
    });
    expect(callers.isMemberAddress('10.0.0.2')).toBe(false);
  },
);

test('a member that does not know the secret yet believes nobody', () => {
  const unready = new MemberProof(() => '');
  expect(unready.isShown({ 'x-muster-member': '' })).toBe(false);
  expect(unready.isToken({ authorization: 'Bearer x' })).toBe(false);
});

test('the secret is the token of a trunk', () => {
  const short = new MemberProof(() => 'abc');
  expect(short.isToken({ authorization: 'bearer abc' })).toBe(true);
  expect(short.isToken({ authorization: 'Bearer abd' })).toBe(false);
  expect(short.isToken({})).toBe(false);
});
