// The job of the recovery tests: squares, slowly, and what must be true of its results.

import { expect } from 'vitest';
import type { JobSubmission, TaskResult } from '../../src/client/index.ts';
import type { Cluster } from './cluster.ts';

/**
 * Squares of 0 … count − 1; each takes `ms` and hardly any computing. `padding`: characters that the
 * result is longer by.
 */
export function squares(count: number, ms: number, padding = 0): JobSubmission {
  return {
    program: {
      kind: 'javascript',
      source: `export default async (n) => {
        await new Promise((resolve) => setTimeout(resolve, ${ms}));
        return { n, square: n * n, ${padding === 0 ? '' : `padding: 'x'.repeat(${padding})`} };
      }`,
    },
    inputs: { range: { start: 0, count } },
  };
}

/** Reads a stream of results bit by bit. */
export class ResultReader {
  readonly results: TaskResult[] = [];
  /** As they were sent. */
  readonly texts: string[] = [];
  readonly #lines: AsyncIterator<{ readonly text: string; readonly result: TaskResult }>;

  constructor(lines: AsyncIterable<{ readonly text: string; readonly result: TaskResult }>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Until there are so many, or the stream ends. */
  async read(count: number): Promise<void> {
    while (this.results.length < count) {
      const { done, value } = await this.#lines.next();
      if (done === true) return;
      this.results.push(value.result);
      this.texts.push(value.text);
    }
  }

  /** To its end. */
  readAll(): Promise<void> {
    return this.read(Infinity);
  }
}

export function expectEveryResultOnce(results: readonly TaskResult[], count: number): void {
  const inOrder = results.toSorted((a, b) => a.index - b.index);
  const expected = Array.from({ length: count }, (_, n) => ({ n, square: n * n }));
  expect(inOrder.map(({ index }) => index)).toEqual(expected.map(({ n }) => n));
  expect(inOrder.map((result) => ('value' in result ? result.value : result))).toMatchObject(
    expected,
  );
}

/** Reads all tasks directly from the store. */
export function storedTasks(cluster: Cluster): unknown {
  const [row] = cluster.query(`
    select count(*) as tasks, count(result) as completed,
      coalesce(sum(accepted_attempt is not null and accepted_attempt <= attempt), 0) as accepted
    from tasks`);
  return { ...row };
}
