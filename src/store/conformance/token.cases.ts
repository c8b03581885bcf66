import { expect, test } from 'vitest';
import { batch, startAt, tokenRow } from './rows.ts';
import type { StoreBench } from './store-bench.ts';

export function tokenCases(bench: StoreBench): void {
  test('lists all tokens but those of workers, oldest first, and finds each by its hash', async () => {
    const ofWorker = tokenRow(3, { kind: 'worker', workerId: 'worker-1' });
    const tokens = [tokenRow(2), ofWorker, tokenRow(1, { kind: 'admin' })];
    await bench.store.commit(batch({ tokens }), startAt);
    expect(await bench.store.loadTokens()).toEqual([tokens[2], tokens[0]]);
    expect(await bench.store.findToken('hash-3')).toEqual(ofWorker);
    expect(await bench.store.findToken('hash-4')).toBeUndefined();
  });

  test('replaces a token by what became of it, and forgets those that are dropped', async () => {
    await bench.store.commit(batch({ tokens: [tokenRow(1), tokenRow(2)] }), startAt);
    const revoked = tokenRow(1, { revokedAt: startAt, usesLeft: 0 });
    const tokens = [revoked];
    await bench.store.commit(batch({ sequence: 2, tokens, droppedTokens: ['token2'] }), startAt);
    const store = await bench.reopen();
    expect(await store.loadTokens()).toEqual([revoked]);
    expect(await store.findToken('hash-2')).toBeUndefined();
  });

  test('revokes a token by its hash at the time of the commit', async () => {
    await bench.store.commit(batch({ tokens: [tokenRow(1), tokenRow(2)] }), startAt);
    const revokedTokens = ['hash-2', 'hash-nobody-has'];
    await bench.store.commit(batch({ sequence: 2, revokedTokens }), startAt + 7);
    const revoked = tokenRow(2, { revokedAt: startAt + 7 });
    expect(await bench.store.loadTokens()).toEqual([tokenRow(1), revoked]);
  });

  test('finds the token of a worker by either id, and lists those that are good, newest first', async () => {
    const ofWorker = (n: number, more: object = {}) =>
      tokenRow(n, { kind: 'worker', workerId: `worker-${n}`, createdAt: startAt + n, ...more });
    const tokens = [ofWorker(1), ofWorker(2), ofWorker(3, { revokedAt: startAt }), tokenRow(4)];
    await bench.store.commit(batch({ tokens }), startAt);
    expect(await bench.store.findWorkerToken(tokens[0]!.id)).toEqual(tokens[0]);
    expect(await bench.store.findWorkerToken('worker-3')).toEqual(tokens[2]);
    expect(await bench.store.findWorkerToken(tokens[3]!.id)).toBeUndefined();
    expect(await bench.store.listWorkerTokens(9)).toEqual([tokens[1], tokens[0]]);
    expect(await bench.store.listWorkerTokens(1)).toEqual([tokens[1]]);
  });

  test('clearing the database leaves the tokens', async () => {
    await bench.store.commit(batch({ tokens: [tokenRow(1)] }), startAt);
    await bench.store.commit(batch({ sequence: 2, generation: 2 }), startAt);
    while (await bench.store.sweep(100));
    expect(await bench.store.loadTokens()).toEqual([tokenRow(1)]);
  });
}
