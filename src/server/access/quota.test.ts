// Rates and open streams of tokens, by a clock that the test sets.

import { expect, test } from 'vitest';
import type { Bearer } from '../../coordinator/port/tokens.ts';
import type { Quotas } from '../../protocol/quotas.ts';
import { TokenQuotas } from './quota.ts';

function bearer(tokenId: string, quota?: Quotas): Bearer {
  const principal = { role: 'client', tokenId, owner: tokenId, seesAll: false } as const;
  return {
    principal: { ...principal, ...(quota === undefined ? {} : { quota }) },
    hash: '',
    text: '',
    expiresAt: null,
    workerId: null,
    labels: {},
    joined: null,
    givenName: null,
    needsApproval: false,
  };
}

function stage() {
  let now = 0;
  const quotas = new TokenQuotas(() => now);
  /** How many of the requests are let through. */
  const ask = (who: Bearer, requests: number): number => {
    for (let i = 0; i < requests; i++) {
      try {
        quotas.takeRequest(who);
      } catch {
        return i;
      }
    }
    return requests;
  };
  return { quotas, ask, pass: (ms: number) => void (now += ms) };
}

test('a burst of five seconds is let through, then as many as the rate says', () => {
  const { ask, pass } = stage();
  const ann = bearer('ann', { requests_per_second: 10 });
  expect(ask(ann, 100)).toBe(50);
  pass(100);
  expect(ask(ann, 100)).toBe(1);
  pass(1_000);
  expect(ask(ann, 100)).toBe(10);
  pass(3_600_000);
  expect(ask(ann, 100)).toBe(50);
});

test('one token does not use up what another has, and a change counts at once', () => {
  const { ask } = stage();
  expect(ask(bearer('ann', { requests_per_second: 1 }), 9)).toBe(5);
  expect(ask(bearer('bob', { requests_per_second: 1 }), 9)).toBe(5);
  expect(ask(bearer('ann', { requests_per_second: 1_000 }), 9)).toBe(0);
  expect(ask(bearer('ann'), 9)).toBe(9);
});

test('tokens that have gone silent take no room', () => {
  const { quotas, ask, pass } = stage();
  for (let i = 0; i < 20_000; i++) {
    ask(bearer(`token ${i}`, { requests_per_second: 5 }), 1);
    pass(10);
  }
  expect(quotas.size).toBeLessThan(3_000);
});
