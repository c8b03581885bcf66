import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { JobReads } from './job-reads.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

interface Head {
  readonly id: string;
  readonly status: string;
}

interface Asked {
  readonly path: string;
  readonly answer: (value: unknown) => void;
  readonly fail: (error: Error) => void;
}

/** A coordinator whose answers come when the test says so, and what is known of its jobs. */
function cluster() {
  const asked: Asked[] = [];
  const known = new Map<string, string>();
  const ask = (path: string): Promise<unknown> =>
    new Promise((answer, fail) => asked.push({ path, answer, fail }));
  const reads = new JobReads<Head>({
    one: (id) => ask(id) as Promise<Head | null>,
    newest: () => ask('list') as Promise<readonly Head[]>,
    isKnown: (id) => known.has(id),
    keep: (heads) => heads.forEach(({ id, status }) => known.set(id, status)),
    drop: (id) => known.delete(id),
    isPassing: (error) => (error as Error).message === 'passing',
  });
  const paths = (): readonly string[] => asked.map(({ path }) => path);
  return { asked, known, reads, paths };
}

const soon = () => vi.advanceTimersByTimeAsync(300);
const many = Array.from({ length: 50 }, (_, i) => `job-${i}`);

describe('one job', () => {
  test('that changes while it is on its way is asked for once more, afterwards', async () => {
    const { asked, known, reads, paths } = cluster();
    reads.note('a');
    await soon();
    reads.note('a');
    await soon();
    expect(paths()).toEqual(['a']);
    asked[0]!.answer({ id: 'a', status: 'running' });
    await soon();
    expect(paths()).toEqual(['a', 'a']);
    asked[1]!.answer({ id: 'a', status: 'completed' });
    await soon();
    expect(known.get('a')).toBe('completed');
  });

  test('that is deleted while it is on its way does not come back', async () => {
    const { asked, known, reads, paths } = cluster();
    reads.note('a');
    await soon();
    known.delete('a');
    reads.noteDeleted('a');
    asked[0]!.answer({ id: 'a', status: 'completed' });
    await soon();
    expect(paths()).toEqual(['a', 'a']);
    asked[1]!.answer(null);
    await soon();
    expect([...known]).toEqual([]);
  });

  test('whose answer comes behind that of a later list does not count', async () => {
    const { asked, known, reads } = cluster();
    reads.note('a');
    await soon();
    const list = [{ id: 'a', status: 'completed' }];
    reads.noteList(list);
    known.set('a', 'completed');
    asked[0]!.answer({ id: 'a', status: 'running' });
    await soon();
    expect(known.get('a')).toBe('completed');
  });

  test('that could not be read is asked for later, unless it never goes well', async () => {
    const { asked, reads, paths } = cluster();
    reads.note('a');
    reads.note('b');
    await soon();
    asked[0]!.fail(new Error('passing'));
    asked[1]!.fail(new Error('for good'));
    await vi.advanceTimersByTimeAsync(5_300);
    expect(paths()).toEqual(['a', 'b', 'a']);
  });

  test('is asked for beside three others at most', async () => {
    const { asked, reads, paths } = cluster();
    many.slice(0, 6).forEach((id) => reads.note(id));
    await soon();
    expect(paths()).toHaveLength(4);
    asked[1]!.answer({ id: 'job-1', status: 'running' });
    await soon();
    expect(paths()).toHaveLength(5);
  });
});

describe('many jobs', () => {
  test('are read as one list, and never as two at once, however long it takes', async () => {
    const { asked, known, reads, paths } = cluster();
    many.forEach((id) => reads.note(id));
    await soon();
    for (let i = 0; i < 10; i++) {
      many.forEach((id) => reads.note(id));
      await soon();
    }
    expect(paths()).toEqual(['list']);
    asked[0]!.answer([{ id: 'job-0', status: 'running' }]);
    await soon();
    expect(paths()).toEqual(['list', 'list']);
    expect([...known]).toEqual([['job-0', 'running']]);
  });

  test('that are not among the newest are read one by one where they are known', async () => {
    const { asked, known, reads, paths } = cluster();
    known.set('job-7', 'pending');
    many.forEach((id) => reads.note(id));
    await soon();
    asked[0]!.answer([]);
    await soon();
    expect(paths()).toEqual(['list', 'job-7']);
  });

  test('of which one is deleted while the list comes do not have it again', async () => {
    const { asked, known, reads, paths } = cluster();
    many.forEach((id) => reads.note(id));
    await soon();
    reads.noteDeleted('job-0');
    asked[0]!.answer([{ id: 'job-0', status: 'running' }]);
    await soon();
    expect(paths()).toEqual(['list', 'job-0']);
    asked[1]!.answer(null);
    await soon();
    expect([...known]).toEqual([]);
  });
});

test('what is forgotten does not come back with an answer of before', async () => {
  const { asked, known, reads } = cluster();
  reads.note('a');
  await soon();
  reads.forget();
  asked[0]!.answer({ id: 'a', status: 'running' });
  await soon();
  expect([...known]).toEqual([]);
});
