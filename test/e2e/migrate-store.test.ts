// A queue that began in a file goes on in PostgreSQL, and comes back.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { moveStore } from '../../src/store/postgres/testing/moves.ts';
import {
  inSchema,
  makeServer,
  type PostgresServer,
} from '../../src/store/postgres/testing/server.ts';
import { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';

let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  server = await makeServer();
});

afterAll(() => server.remove());

function place(): string {
  return inSchema(server.url, `moved_${++schemas}`);
}

/** What only tests add is not told. */
function shown(address: string): string {
  return address.replace('durable=no&', '');
}

test('jobs, results and workers go from a file to PostgreSQL and to another file, and work goes on', async () => {
  const cluster = await Cluster.start({ workers: 2, slots: 2 });
  const { client } = cluster;
  const address = place();
  const first = await client.submit({ ...squares(300, 1), name: 'first' });
  await expectResults(cluster, first.id, 300);
  const amid = await client.submit({ ...squares(400, 20), name: 'amid' });
  await new ResultReader(client.resultLines(amid.id, { follow: true })).read(30);
  expect(await migrate(cluster, `sqlite:${cluster.storePath}`, address)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('Another coordinator') as string,
  });
  await cluster.stop();

  const there = await migrate(cluster, `sqlite:${cluster.storePath}`, address, '--json');
  expect(there.code).toBe(0);
  const moved = JSON.parse(there.stdout) as Outcome;
  expect(moved).toMatchObject({ to: shown(address), resumed: false, rows_before: 0 });
  const rowsOf = new Map(moved.tables.map(({ table, rows }) => [table, rows]));
  expect(rowsOf.get('jobs')).toBe(2);
  expect(rowsOf.get('workers')).toBe(2);
  expect(moved.rows).toBe([...rowsOf.values()].reduce((sum, rows) => sum + rows, 0));

  await cluster.serveOn(address);
  await expectResults(cluster, first.id, 300);
  await expectResults(cluster, amid.id, 400);
  expect(await cluster.onlineWorkers()).toEqual(cluster.workers.map(({ id }) => id).toSorted());
  const next = await client.submit({ ...squares(20, 1), name: 'next' });
  await expectResults(cluster, next.id, 20);
  await cluster.stop();

  const back = `sqlite:${join(cluster.folder, 'new folder', 'back.db')}`;
  const again = await migrate(cluster, address, back);
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toMatch(
    /^moved: [\d ]+ rows in .* rows\/s\)\.\ncompared: 23 tables, .* the same on both sides/,
  );
  expect(again.stderr).toContain('was left as it is. From now on work on one of the two only.');
  await cluster.serveOn(back);
  await expectResults(cluster, first.id, 300);
  await expectResults(cluster, amid.id, 400);
  await expectResults(cluster, next.id, 20);
  expect((await client.jobs()).map(({ name }) => name)).toEqual(['next', 'amid', 'first']);
  const last = await client.submit(squares(5, 1));
  await expectResults(cluster, last.id, 5);
  expect(await cluster.onlineWorkers()).toEqual(cluster.workers.map(({ id }) => id).toSorted());
});

test('a move that was broken off keeps coordinators out, and goes on when it is run again', async () => {
  const cluster = await Cluster.start({ workers: 1 });
  const job = await cluster.client.submit(squares(10, 1));
  await expectResults(cluster, job.id, 10);
  await cluster.stop();
  const address = place();
  const stop = new Error('stopped');
  const tell = ({ table }: { readonly table: string | null }) => {
    if (table === 'tasks') throw stop;
  };
  await expect(moveStore(cluster.storePath, address, { tell })).rejects.toBe(stop);

  const serve = cluster.run(['serve', '--data-dir', 'other', '--port', '0', '--store', address]);
  expect(await serve.ended).toMatchObject({ code: 5 });
  const sentence = `Go on with it: muster migrate-store sqlite:${cluster.storePath} '${shown(address)}'`;
  expect(serve.stderr).toContain(sentence);
  const doctor = cluster.run(['doctor', '--store', address]);
  expect(await doctor.ended).toMatchObject({ code: 1 });
  expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toContain('holds only a part of what is moved');

  const gone = await migrate(cluster, `sqlite:${cluster.storePath}`, address, '--json');
  expect(gone.code).toBe(0);
  const outcome = JSON.parse(gone.stdout) as Outcome;
  expect(outcome.resumed).toBe(true);
  expect(outcome.rows_before).toBeGreaterThan(0);
  await cluster.serveOn(address);
  await expectResults(cluster, job.id, 10);
});

test('what cannot be moved is told in a sentence', async () => {
  const cluster = await Cluster.start();
  await cluster.stop();
  const file = `sqlite:${cluster.storePath}`;
  const missing = join(cluster.folder, 'nothing.db');
  const wrong: readonly (readonly [string, string, number, string])[] = [
    ['sqlite::memory:', place(), 2, 'What is kept in memory only is moved nowhere.'],
    [file, 'sqlite::memory:', 2, 'What is kept in memory only is moved nowhere.'],
    [file, './copy.db', 2, 'Did you mean "sqlite:./copy.db"?'],
    [file, 'sqlite:./muster.db', 2, 'is the same database by another name'],
    [`sqlite:${missing}`, place(), 2, `There is no database at ${missing}.`],
    [file, 'postgres://muster@127.0.0.1:1/nothing', 5, 'cannot be opened for writing'],
    [place(), 'sqlite:copy.db', 5, 'There is no database of Muster at'],
  ];
  for (const [from, to, code, sentence] of wrong) {
    const { stderr, ...end } = await migrate(cluster, from, to);
    expect([from, to, end.code]).toEqual([from, to, code]);
    expect(stderr).toContain(sentence);
  }
  const address = place();
  expect(await migrate(cluster, file, address)).toMatchObject({ code: 0 });
  expect(await migrate(cluster, file, address)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('holds something already') as string,
  });
});

interface Outcome {
  readonly rows: number;
  readonly resumed: boolean;
  readonly rows_before: number;
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

async function migrate(cluster: Cluster, ...args: readonly string[]) {
  const command = cluster.run(['migrate-store', ...args]);
  const { code } = await command.ended;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

async function expectResults(cluster: Cluster, id: string, tasks: number): Promise<void> {
  const reader = new ResultReader(cluster.client.resultLines(id, { follow: true }));
  await reader.readAll();
  expectEveryResultOnce(reader.results, tasks);
  await eventually(
    () => cluster.client.job(id),
    ({ status }) => status === 'completed',
  );
}
