// The process ends, or the disk does.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { batch, completedRow, jobRow, startAt } from '../testing/rows.ts';
import { openSqliteStore } from './open.ts';
import { makeDirectory } from './testing/directory.ts';

test('another process that has the database open keeps this one out until it is killed', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const child = run('hold.ts', path);
  await once(child.stdout!, 'data');
  expect(() => openSqliteStore(path)).toThrow(`Another coordinator has ${path} open.`);
  await kill(child);
  await openSqliteStore(path).close();
});

// "`kill -9` of the coordinator at any moment loses nothing that was acknowledged."
test('a process that is killed amid its commits loses nothing that was acknowledged', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  let known = 0;
  for (let life = 1; life <= 5; life++) {
    const child = run('write.ts', path);
    let text = '';
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    while (text.split('\n').length < life * 17) await once(child.stdout!, 'data');
    await kill(child);
    const acknowledged = Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1));
    const store = openSqliteStore(path);
    const { sequence, jobs } = await store.load();
    const rows = await store.listTasks(1, 0, 1_000_000);
    await store.close();
    expect(sequence).toBeGreaterThanOrEqual(acknowledged);
    expect(sequence).toBeGreaterThan(known);
    expect(rows.map((row) => row.index)).toEqual(
      Array.from({ length: sequence * 20 }, (_, i) => i),
    );
    expect(jobs[0]?.completed).toBe(sequence * 20);
    known = sequence;
  }
});

test('a commit that finds no space is undone, says so, and leaves a database that works', async () => {
  const path = join(await makeDirectory(), 'muster.db');
  const store = openSqliteStore(path, { maxPages: 200 });
  await store.commit(batch({ jobs: [jobRow(1)] }), startAt);
  const large = JSON.stringify('x'.repeat(300_000));
  const tasks = [0, 1, 2].map((index) => completedRow(1, index, large));
  const jobs = [jobRow(1, {}, { status: 'running', completed: 3 })];
  const write = store.commit(batch({ sequence: 2, jobs, tasks }), startAt);
  await expect(write).rejects.toMatchObject({
    name: 'StoreFault',
    code: 'store_write_failed',
    message: `No space is left for the database ${path}.`,
  });
  expect(await store.listTasks(1, 0, 9)).toEqual([]);
  expect((await store.load()).jobs).toEqual([jobRow(1)]);
  await store.close();
  const reopened = openSqliteStore(path);
  expect((await reopened.load()).sequence).toBe(1);
  await reopened.commit(batch({ sequence: 2, jobs, tasks }), startAt);
  expect(await reopened.listTasks(1, 0, 9)).toHaveLength(3);
  await reopened.close();
});

function run(script: string, path: string): ChildProcess {
  const file = join(import.meta.dirname, 'testing', script);
  const child = spawn(process.execPath, [file, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}
