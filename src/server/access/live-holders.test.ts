import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Bearer } from '../../coordinator/port/tokens.ts';
import { LiveHolders } from './live-holders.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function bearer(tokenId: string, expiresAt: number | null = null): Bearer {
  const principal = { role: 'client', tokenId, owner: 'ann', seesAll: false } as const;
  const came = { joined: null, givenName: null, needsApproval: false };
  return { principal, hash: '', text: '', expiresAt, workerId: null, labels: {}, ...came };
}

test('ends what is open in the name of a token, each once, and nothing else', () => {
  const live = new LiveHolders();
  const ended: string[] = [];
  live.hold(bearer('a'), () => ended.push('a1'));
  live.hold(bearer('a'), () => ended.push('a2'))();
  live.hold(bearer('b'), () => ended.push('b'));
  live.hold(null, () => ended.push('nameless'));
  live.endOf('a');
  live.endOf('a');
  expect(ended).toEqual(['a1']);
  live.endNameless();
  live.endNameless();
  expect(ended).toEqual(['a1', 'nameless']);
});

test('ends what is open when its token expires, however far away that is', () => {
  const live = new LiveHolders();
  const ended: string[] = [];
  const year = 366 * 24 * 3_600_000;
  live.hold(bearer('soon', 1_000), () => ended.push('soon'));
  live.hold(bearer('late', year), () => ended.push('late'));
  vi.advanceTimersByTime(999);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(['soon']);
  vi.advanceTimersByTime(year - 1_001);
  expect(ended).toEqual(['soon']);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(['soon', 'late']);
});

test('a token expires by the clock of those who made it, a session by that of this machine', () => {
  for (const aheadMs of [3_600_000, -3_600_000]) {
    const live = new LiveHolders(() => Date.now() + aheadMs);
    const ended: string[] = [];
    live.hold(bearer('a', Date.now() + aheadMs + 1_000), () => ended.push('token'));
    live.holdForSession('one', Date.now() + 2_000, () => ended.push('session'));
    vi.advanceTimersByTime(999);
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ended).toEqual(['token']);
    vi.advanceTimersByTime(1_000);
    expect(ended).toEqual(['token', 'session']);
  }
});

test('keeps nothing of a token in whose name nothing is open any more', () => {
  const live = new LiveHolders();
  live.hold(bearer('a', 60_000), () => undefined)();
  expect(vi.getTimerCount()).toBe(0);
});

test('ends what a session has open when it is over, whether its token is good or not', () => {
  const live = new LiveHolders();
  const ended: string[] = [];
  live.holdForSession('one', 1_000, () => ended.push('one'));
  live.holdForSession('other', 2_000, () => ended.push('other'));
  live.holdForSession('out', 2_000, () => ended.push('out'));
  live.endOfSession('out');
  expect(ended).toEqual(['out']);
  vi.advanceTimersByTime(1_000);
  expect(ended).toEqual(['out', 'one']);
});
