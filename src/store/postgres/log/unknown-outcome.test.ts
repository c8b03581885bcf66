// What becomes of a commit whose answer never comes.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { FaultyLine } from '../../../../test/support/faulty-line.ts';
import { batch, completedRow, jobRow, startAt } from '../../conformance/rows.ts';
import { StoreFault } from '../../store.ts';
import { openPostgresStore } from '../open.ts';
import { makeSchema } from '../testing/schemas.ts';
import { type Mishap, UncertainLog } from '../testing/uncertain-log.ts';
import { CommitLog } from './commit-log.ts';
import type { LogEntry } from './log-entry.ts';

const mishaps = (...kinds: Mishap[]) =>
  fc.array(fc.constantFrom<Mishap>('none', 'none', ...kinds), { maxLength: 40 });

test('whatever is lost on the way, every commit is written once, in order, and answered', async () => {
  const kinds = mishaps('request_lost', 'cancelled', 'answer_lost', 'finished_late');
  await fc.assert(
    fc.asyncProperty(kinds, async (sequence) => {
      const { log, writer } = begin(sequence);
      for (let payload = 1; payload <= 10; payload++) await write(writer, payload);
      expect(payloads(log)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(writer.newest.sequence).toBe(log.newest.sequence);
    }),
    { numRuns: 500 },
  );
});

test('after another has taken over nothing is written, and nothing that was answered is missing', async () => {
  const kinds = mishaps('request_lost', 'answer_lost', 'finished_late', 'taken_over');
  await fc.assert(
    fc.asyncProperty(kinds, async (sequence) => {
      const { log, writer, term } = begin(sequence);
      const answered: number[] = [];
      const fault = await writeSome(writer, answered);
      const own = log.rows.filter((row) => row.term === term);
      const others = log.rows.findIndex((row) => row.term !== term && row.term !== 'none');
      // All rows of this writer lie before the first of another one.
      if (others !== -1)
        expect(log.rows.findLastIndex((row) => row.term === term)).toBeLessThan(others);
      const written = own.flatMap(({ payload }) => (payload === null ? [] : [payload]));
      expect(written.slice(0, answered.length)).toEqual(answered);
      expect(written.length - answered.length).toBeLessThanOrEqual(1);
      if (log.newest.term === term) expect(fault).toBeUndefined();
      else if (fault !== undefined) expect(fault).toMatchObject({ code: 'store_deposed' });
    }),
    { numRuns: 500 },
  );
});

test('a database that went back is found out by the next commit', async () => {
  const kinds = mishaps('request_lost', 'answer_lost', 'taken_back');
  await fc.assert(
    fc.asyncProperty(kinds, async (sequence) => {
      const { log, writer } = begin(sequence);
      const answered: number[] = [];
      const fault = await writeSome(writer, answered);
      const kept = payloads(log);
      if (fault !== undefined) {
        expect(fault).toMatchObject({
          code: expect.stringMatching(/^store_(lost_commits|deposed)$/) as string,
        });
      }
      // What is there is a beginning of what was written: never with a hole.
      expect(kept).toEqual(Array.from(kept, (_, place) => place + 1));
    }),
    { numRuns: 500 },
  );
});

test('what is there after a cut is acknowledged when a later commit was answered, not before', async () => {
  // The row is there, the look finds it; then a failover takes it back before the covering commit.
  const { log, writer } = begin(['answer_lost', 'taken_back']);
  const done = write(writer, 1);
  await done;
  expect(payloads(log)).toEqual([1]);
  expect(log.newest).toMatchObject({ payload: expect.anything() as unknown });
});

test('a server that stays away ends in a fault, not in silence', async () => {
  const log = new UncertainLog(Array.from({ length: 1_000 }, () => 'request_lost' as const));
  const writer = new CommitLog(log.open(), entryOf(log), {
    shown: 'there',
    open: async () => log.open(),
    patienceMs: 20,
    pauseMs: 1,
  });
  await expect(write(writer, 1)).rejects.toMatchObject({ code: 'store_unanswered' });
  await expect(write(writer, 2)).rejects.toMatchObject({ code: 'store_unanswered' });
});

test('a server that is reached, and answers no commit, ends in a fault as well', async () => {
  const sequence = Array.from({ length: 100_000 }, (_, i): Mishap => {
    return i % 2 === 0 ? 'request_lost' : 'none';
  });
  const log = new UncertainLog(sequence);
  log.takeOver();
  const writer = new CommitLog(log.open(), entryOf(log), {
    shown: 'there',
    open: async () => log.open(),
    patienceMs: 20,
    pauseMs: 1,
  });
  await expect(write(writer, 1)).rejects.toMatchObject({ code: 'store_unanswered' });
  expect(payloads(log)).toEqual([]);
});

test('however many wait for a sign that nobody else has written, one empty commit tells all', async () => {
  const { log, writer } = begin(['request_lost']);
  await Promise.all([write(writer, 1), ...Array.from({ length: 50 }, () => writer.confirm())]);
  expect(log.rows).toHaveLength(3);
});

test('a connection that is cut again and again amid commits loses and doubles nothing', async () => {
  const schema = makeSchema();
  const address = new URL(schema.address);
  const proxy = await FaultyLine.to(schema.address);
  onTestFinished(async () => {
    proxy.close();
    await schema.remove();
  });
  address.port = new URL(proxy.url).port;
  const told: string[] = [];
  const store = await openPostgresStore(address.href, {
    connections: 1,
    onTrouble: (sentence) => told.push(sentence),
  });
  await store.load();
  await store.commit(batch({ jobs: [jobRow(1, { taskCount: 1_000 })] }), startAt);
  for (let sequence = 2; sequence <= 60; sequence++) {
    const tasks = Array.from({ length: 20 }, (_, i) => completedRow(1, sequence * 20 + i));
    const done = store.commit(batch({ sequence, tasks }), startAt + sequence);
    // At a moment of its own each time: before the commit has left, on its way, when it is answered.
    for (let turns = 0; turns < sequence % 12; turns++) await new Promise(setImmediate);
    if (sequence % 2 === 0) proxy.cut();
    await done;
  }
  expect(told.filter((sentence) => sentence.includes('was cut off')).length).toBeGreaterThan(5);
  expect((await store.load()).sequence).toBe(60);
  expect(await store.listTasks(1, 0, 2_000)).toHaveLength(59 * 20);
  await store.close();
  const [row] = await schema.ask(
    'select count(*)::int as n, count(distinct batch)::int as batches from commits',
  );
  expect(row!['batches']).toBe(61);
  expect(row!['n']).toBeGreaterThanOrEqual(61);
});

function begin(sequence: readonly Mishap[]) {
  const log = new UncertainLog(sequence);
  const term = log.takeOver();
  const writer = new CommitLog(log.open(), entryOf(log), {
    shown: 'there',
    open: async () => log.open(),
    pauseMs: 0,
  });
  return { log, writer, term };
}

/** Writes until a fault comes, which it returns. */
async function writeSome(writer: CommitLog, answered: number[]): Promise<unknown> {
  for (let payload = 1; payload <= 10; payload++) {
    try {
      await write(writer, payload);
      answered.push(payload);
    } catch (error) {
      expect(error).toBeInstanceOf(StoreFault);
      return error;
    }
  }
  return undefined;
}

function write(writer: CommitLog, payload: number): Promise<void> {
  return writer.commit((newest) => ({
    entry: newest,
    statements: [{ text: 'payload', values: [payload] }],
  }));
}

function payloads({ rows }: UncertainLog): unknown[] {
  return rows.flatMap(({ payload }) => (payload === null ? [] : [payload]));
}

function entryOf({ newest: { sequence, term } }: UncertainLog): LogEntry {
  const marks = { nextWorkerKey: 1, nextRecoveryId: 1, nextCheckpointId: 1 };
  return {
    sequence,
    term: term === 'none' ? randomUUID() : term,
    batch: 0,
    at: null,
    totals: null,
    ...marks,
  };
}
