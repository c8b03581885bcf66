import { expect, test } from 'vitest';
import { auditEntry, batch, startAt } from './rows.ts';
import type { StoreBench } from './store-bench.ts';

const all = { since: 0, done: 1_000, refused: 1_000 };

export function auditCases(bench: StoreBench): void {
  async function write(sequence: number, ...entries: ReturnType<typeof auditEntry>[]) {
    await bench.store.commit(batch({ sequence, audit: entries }), startAt);
  }

  async function objects(...asked: Parameters<typeof bench.store.listAudit>) {
    return (await bench.store.listAudit(...asked)).map(({ object }) => object);
  }

  test('lists audit entries newest first, page by page, as they were written', async () => {
    const bare = { object: null, code: null, tokenId: null, role: null, owner: null };
    const odd = auditEntry(2, { ...bare, address: null, outcome: 'failed', count: 9 });
    await write(1, auditEntry(1), odd);
    await write(2, auditEntry(3));
    const store = await bench.reopen();
    const rows = await store.listAudit({}, null, 10);
    expect(rows.map(({ id: _id, ...entry }) => entry)).toEqual([auditEntry(3), odd, auditEntry(1)]);
    expect(await store.listAudit({}, null, 2)).toEqual(rows.slice(0, 2));
    expect(await store.listAudit({}, rows[1]!.id, 2)).toEqual(rows.slice(2));
  });

  test('writes the entries of a batch that was committed before only once', async () => {
    await write(1, auditEntry(1));
    await write(1, auditEntry(1));
    expect(await bench.store.listAudit({}, null, 10)).toHaveLength(1);
  });

  test('finds entries by each of what they say, and by all of it', async () => {
    const refusal = { outcome: 'refused', code: 'forbidden', owner: 'bob' } as const;
    await write(
      1,
      auditEntry(1),
      auditEntry(2, { action: 'job.submit', address: '::1' }),
      auditEntry(3, { ...refusal, tokenId: 'token2' }),
    );
    expect(await objects({ action: 'job.submit' }, null, 9)).toEqual(['job-2']);
    expect(await objects({ address: '::1' }, null, 9)).toEqual(['job-2']);
    expect(await objects({ tokenId: 'token2' }, null, 9)).toEqual(['job-3']);
    expect(await objects({ owner: 'ann' }, null, 9)).toEqual(['job-2', 'job-1']);
    expect(await objects({ outcome: 'refused' }, null, 9)).toEqual(['job-3']);
    expect(await objects({ since: startAt + 2_000 }, null, 9)).toEqual(['job-3', 'job-2']);
    expect(await objects({ until: startAt + 2_000 }, null, 9)).toEqual(['job-1']);
    expect(await objects({ owner: 'ann', address: '::1' }, null, 9)).toEqual(['job-2']);
    expect(await objects({ owner: 'bob', action: 'job.submit' }, null, 9)).toEqual([]);
  });

  test('finds a rare entry among many', async () => {
    await write(1, auditEntry(0, { action: 'database.clear' }));
    await write(2, ...Array.from({ length: 12_000 }, (_, number) => auditEntry(number)));
    const found = await bench.store.listAudit({ action: 'database.clear' }, null, 5);
    expect(found).toHaveLength(1);
    expect(await bench.store.listAudit({}, null, 11_000)).toHaveLength(11_000);
  });

  test('clearing the database leaves the audit', async () => {
    await write(1, auditEntry(1));
    await bench.store.commit(batch({ sequence: 2, generation: 2 }), startAt);
    while (await bench.store.sweep(100));
    expect(await objects({}, null, 9)).toEqual(['job-1']);
  });

  test('trims what is older than is kept, the oldest first, so many at a time', async () => {
    await write(1, ...[1, 2, 3, 4].map((number) => auditEntry(number)));
    const kept = { ...all, since: startAt + 4_000 };
    expect(await bench.store.trimAudit(kept, 2)).toBe(true);
    expect(await objects({}, null, 9)).toEqual(['job-4', 'job-3']);
    expect(await bench.store.trimAudit(kept, 2)).toBe(false);
    expect(await objects({}, null, 9)).toEqual(['job-4']);
  });

  test('trims refusals and what was done each to its own number', async () => {
    const refusals = [4, 5, 6, 7].map((number) => auditEntry(number, { outcome: 'refused' }));
    await write(1, ...[1, 2, 3].map((number) => auditEntry(number)), ...refusals);
    expect(await bench.store.trimAudit({ ...all, refused: 1 }, 100)).toBe(false);
    expect(await objects({}, null, 9)).toEqual(['job-7', 'job-3', 'job-2', 'job-1']);
    expect(await bench.store.trimAudit({ ...all, done: 2 }, 100)).toBe(false);
    expect(await objects({}, null, 9)).toEqual(['job-7', 'job-3', 'job-2']);
  });

  test('the newest entry stays, and ids are never given out again', async () => {
    await write(1, auditEntry(1), auditEntry(2));
    const [newest] = await bench.store.listAudit({}, null, 1);
    expect(await bench.store.trimAudit({ since: Infinity, done: 0, refused: 0 }, 9)).toBe(false);
    expect(await objects({}, null, 9)).toEqual(['job-2']);
    const store = await bench.reopen();
    await store.commit(batch({ sequence: 2, audit: [auditEntry(3)] }), startAt);
    expect((await store.listAudit({}, null, 1))[0]!.id).toBeGreaterThan(newest!.id);
  });
}
