// A backup of a coordinator that works, what is done with it, and what workers do then.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { Cluster, servedUrl } from '../support/cluster.ts';
import { eventually, type MusterProcess } from '../support/muster-process.ts';
import { expectEveryResultOnce, ResultReader, squares } from '../support/square-job.ts';

test('a backup that is made amid work is restored on another host: jobs go on, workers come back', async () => {
  const cluster = await Cluster.start({ workers: 2 });
  const { client } = cluster;
  const before = await client.submit(squares(10, 1));
  await new ResultReader(client.resultLines(before.id, { follow: true })).readAll();
  const amid = await client.submit(squares(200, 20));
  await new ResultReader(client.resultLines(amid.id, { follow: true })).read(20);

  expect(await run(cluster, 'backup', 'copy.db')).toMatchObject({
    file: join(cluster.folder, 'copy.db'),
    jobs: 2,
    unverified: 0,
  });
  const lost = await client.submit(squares(5, 1));
  await new ResultReader(client.resultLines(lost.id, { follow: true })).readAll();
  await cluster.addWorker();
  expect(await cluster.stop()).toEqual({ code: 0, signal: null });

  // The other host has a folder of its own; the address stays, as behind a name.
  const there = join(cluster.folder, 'there');
  mkdirSync(there);
  copyFileSync(join(cluster.folder, 'copy.db'), join(there, 'copy.db'));
  const restored = cluster.run(['restore', 'there/copy.db', '--data-dir', 'there', '--json']);
  expect(await restored.ended).toEqual({ code: 0, signal: null });
  expect(JSON.parse(restored.stdout)).toMatchObject({ kept: null, jobs: 2 });
  const port = new URL(cluster.url).port;
  const moved = cluster.run(['serve', '--data-dir', 'there', '--port', port]);
  expect(await moved.line(servedUrl)).toBe(cluster.url);

  const reader = new ResultReader(client.resultLines(amid.id, { follow: true }));
  await reader.readAll();
  expectEveryResultOnce(reader.results, 200);
  expect((await client.jobs()).map(({ id }) => id).toSorted()).toEqual(
    [before.id, amid.id].toSorted(),
  );
  // The one that the copy does not know has registered anew.
  const known = new Set(cluster.workers.map(({ id }) => id));
  const online = await eventually(
    async () => (await client.workers()).filter(({ status }) => status === 'online'),
    (found) => found.length === 3,
  );
  expect(online.filter(({ id }) => known.has(id))).toHaveLength(2);
  moved.signal('SIGTERM');
  expect(await moved.ended).toEqual({ code: 0, signal: null });
});

test('what a restored database replaces is kept, with its log, and a coordinator that runs is not replaced', async () => {
  const cluster = await Cluster.start();
  const { client } = cluster;
  await client.submit(squares(1, 1));
  await run(cluster, 'backup', 'copy.db');
  const late = await client.submit(squares(1, 1));
  const tooEarly = restore(cluster);
  expect(await tooEarly.ended).toEqual({ code: 5, signal: null });
  expect(tooEarly.stderr).toContain(`${cluster.storePath} open. Use that one, end it`);
  expect(await client.jobs()).toHaveLength(2);
  // Its newest commits are in the log only.
  await cluster.coordinator.kill();
  const inTime = restore(cluster);
  expect(await inTime.ended).toEqual({ code: 0, signal: null });
  const { kept } = JSON.parse(inTime.stdout) as { kept: string };
  await cluster.serve();
  expect(await client.jobs()).toHaveLength(1);
  await cluster.stop();
  const old = cluster.run(['serve', '--store', `sqlite:${kept}`, '--port', '0']);
  const url = await old.line(servedUrl);
  expect((await connect(url).jobs()).map(({ id }) => id)).toContain(late.id);
});

test.each([
  [
    'a damaged value',
    "update jobs set name = 'x'; update tasks set result = '7'",
    1,
    'is damaged (1 value)',
  ],
  ['a newer version', 'pragma user_version = 99', 1, 'was written by a newer version'],
])('a backup with %s is not restored, and leaves all as it was', async (_, sql, code, words) => {
  const cluster = await Cluster.start({ workers: 1 });
  const job = await cluster.client.submit(squares(1, 1));
  await new ResultReader(cluster.client.resultLines(job.id, { follow: true })).readAll();
  await run(cluster, 'backup', 'copy.db');
  await cluster.stop();
  const db = new DatabaseSync(join(cluster.folder, 'copy.db'));
  db.exec(sql.split('; ').at(-1)!);
  db.close();
  const before = readdirSync(cluster.folder).toSorted();
  const restored = restore(cluster);
  expect(await restored.ended).toEqual({ code, signal: null });
  expect(restored.stderr).toContain(words);
  expect(readdirSync(cluster.folder).toSorted()).toEqual(before);
});

test('a database that is damaged is not backed up, and the backup of before stays', async () => {
  const cluster = await Cluster.start({ workers: 1 });
  const job = await cluster.client.submit(squares(1, 1));
  await new ResultReader(cluster.client.resultLines(job.id, { follow: true })).readAll();
  await cluster.stop();
  await run(cluster, 'backup', 'copy.db');
  const db = new DatabaseSync(cluster.storePath);
  db.exec("update tasks set result = '7'");
  db.close();
  const again = cluster.run([...backup(cluster, 'copy.db'), '--force']);
  expect(await again.ended).toEqual({ code: 1, signal: null });
  expect(again.stderr).toContain('is damaged (1 value); nothing was written.');
  expect((await finished(cluster.run(['doctor', '--deep', 'copy.db']))).code).toBe(0);
  const refused = cluster.run(backup(cluster, 'copy.db'));
  expect(await refused.ended).toEqual({ code: 2, signal: null });
  expect(refused.stderr).toContain('"copy.db" is there already; --force replaces it.');
});

test('what a killed backup has left is removed by the next one, and nothing else', async () => {
  const cluster = await Cluster.start();
  const gone = spawnSync(process.execPath, ['--version']).pid;
  const left = [`copy.db.${gone}.partial`, `copy.db.${gone}.partial-journal`];
  const others = [`copy.db.${process.pid}.partial`, `other.db.${gone}.partial`, 'copy.db.1.txt'];
  for (const name of [...left, ...others]) writeFileSync(join(cluster.folder, name), '');
  await run(cluster, 'backup', 'copy.db');
  const names = readdirSync(cluster.folder);
  expect(names).toEqual(expect.arrayContaining(others));
  expect(names.filter((name) => left.includes(name))).toEqual([]);
});

test('a backup takes the place of no pipe, no link and nothing that belongs to the database', async () => {
  const cluster = await Cluster.start();
  const { folder, storePath } = cluster;
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const refusals = [
    [`${storePath}-wal`, 'belongs to the database; name another file.'],
    [`${storePath}.lock`, 'belongs to the database; name another file.'],
    ['pipe', '"pipe" is no file that could be replaced; name another one.'],
  ] as const;
  for (const [file, sentence] of refusals) {
    const refused = cluster.run([...backup(cluster, file), '--force']);
    expect(await refused.ended).toEqual({ code: 2, signal: null });
    expect(refused.stderr).toContain(sentence);
  }
  await run(cluster, 'backup', 'copy.db');
  symlinkSync('copy.db', join(folder, 'link.db'));
  expect(await run(cluster, 'backup', 'link.db', '--force')).toMatchObject({
    file: realpathSync(join(folder, 'copy.db')),
  });
  expect(lstatSync(join(folder, 'link.db')).isSymbolicLink()).toBe(true);
  // Opening a pipe would wait for ever.
  const refused = cluster.run(['restore', 'pipe', '--data-dir', 'other']);
  expect(await refused.ended).toEqual({ code: 2, signal: null });
  expect(refused.stderr).toContain('pipe is no file.');
});

test('beside a coordinator with local workers, one with the same folder and another store has its own', async () => {
  const cluster = await Cluster.start({ flags: ['--workers', '1', '--data-dir', 'data'] });
  const isOnline = (url: string) =>
    eventually(
      () => connect(url).workers(),
      ([worker]) => worker?.status === 'online',
    );
  await isOnline(cluster.url);
  await run(cluster, 'backup', 'copy.db');
  const flags = ['--data-dir', 'data', '--workers', '1', '--port', '0'];
  const other = cluster.run(['serve', '--store', 'sqlite:copy.db', ...flags]);
  const url = await other.line(servedUrl);
  await eventually(
    () => connect(url).workers(),
    (workers) => workers.some(({ status }) => status === 'online'),
  );
  await isOnline(cluster.url);
  other.signal('SIGTERM');
  expect(await other.ended).toEqual({ code: 0, signal: null });
});

function backup(cluster: Cluster, file: string): readonly string[] {
  return ['backup', file, '--store', `sqlite:${cluster.storePath}`];
}

function restore(cluster: Cluster): MusterProcess {
  return cluster.run(['restore', 'copy.db', '--store', `sqlite:${cluster.storePath}`, '--json']);
}

async function run(
  cluster: Cluster,
  _: 'backup',
  file: string,
  ...flags: readonly string[]
): Promise<unknown> {
  const args = [...backup(cluster, file), '--json', ...flags];
  const { code, stdout } = await finished(cluster.run(args));
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

async function finished(process: MusterProcess): Promise<{ code: number | null; stdout: string }> {
  const { code } = await process.ended;
  return { code, stdout: process.stdout };
}
