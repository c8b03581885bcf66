// A file of every version before the newest is brought up to date and keeps what is in it.

import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import {
  batch,
  completedRow,
  jobRow,
  newCheckpoint,
  payload,
  programRow,
  startAt,
  workRow,
} from '../../../conformance/rows.ts';
import { applicationId, readNumber } from '../inspect.ts';
import { openSqliteStore } from '../../open.ts';
import { defineHashes } from '../../tables/program-table.ts';
import { makeDirectory } from '../../testing/directory.ts';
import { firstLight } from './0001-first-light.ts';
import { history } from './0002-history.ts';
import { checkpoints as checkpointTables } from './0003-checkpoints.ts';
import { programs as programTables } from './0004-programs.ts';
import { cancelledTasks } from './0026-cancelled-tasks.ts';
import { migrations } from './migrations.ts';
import { visit, visitKey } from '../../../conformance/visiting.ts';
import type { ExpiringWanted } from '../../../writing.ts';

/** What version 1 wrote: an open job with a task, one that ended, one of a cleared generation. */
const contentOfVersion1 = `
  update meta set generation = 2, sequence = 41, last_commit_at = ${startAt}, next_job_key = 4,
    next_worker_key = 2, config = null;
  insert into jobs values
    (1, 'job-1', 2, 'anonymous', 1, 10, 0, 0, 0, '[1]', ${startAt}, null, null, null, $spec),
    (2, 'job-2', 2, 'anonymous', 2, 10, 9, 1, 0, '[10]', ${startAt}, ${startAt + 2500}, null, null,
      $spec),
    (3, 'job-3', 1, 'anonymous', 2, 10, 10, 0, 0, '[10]', ${startAt}, ${startAt}, null, null, $spec);
  insert into tasks values
    (${2 ** 24}, 1, 2, 'worker-1', 'token', null, 0, 1, 0, 0, null, ${startAt}, null, null, null, null,
      null, null),
    (${2 ** 25 + 7}, 2, 1, 'worker-1', 'token', 1, 0, 0, 0, 0, null, ${startAt}, ${startAt},
      ${startAt + 9}, 9.5, null, null, '{"kept":true}');
  insert into attempts values
    (${2 ** 24}, 1, 'worker-1', 'lost', 'lost', 'lost', 'Gone.', ${startAt}, null, ${startAt + 5});
  insert into workers values
    ('worker-1', 1, 2, 1, 'hash', null, 'pc', 'linux', 4, '["javascript"]', '{}', 'process',
      ${startAt}, 1, null, 12, 1, 0.5, null, 0);
  insert into inputs values (${2 ** 24}, '"input"');
  insert into programs values (1, '{}');
`;

test('a file of version 1 is upgraded and keeps its data', async () => {
  const path = await makeVersion1();
  const store = openSqliteStore(path);
  const state = await store.load();
  expect(state).toMatchObject({ generation: 2, sequence: 41, nextRecoveryId: 1 });
  expect(await store.reserveJobKeys(1)).toBe(4);
  expect(state.counters).toMatchObject({ total: 2, running: 1, completed: 1, tasksCompleted: 9 });
  expect(state.jobs).toEqual([
    jobRow(1, { generation: 2 }, { status: 'running', cursors: [1], startedAt: startAt }),
  ]);
  expect(state.tasks).toMatchObject([
    { row: { index: 0, attempt: 2, token: 'token' }, past: [{ attempt: 1, token: 'lost' }] },
  ]);
  const draining = { since: null, deadline: null };
  expect(state.workers).toMatchObject([
    {
      id: 'worker-1',
      totalCompleted: 12,
      leaseMs: null,
      leaseNowMs: null,
      version: null,
      taskMemoryMb: null,
      draining,
    },
  ]);
  expect(await store.findToken('hash')).toMatchObject({ kind: 'worker', workerId: 'worker-1' });
  expect(await store.listAudit({}, null, 1)).toEqual([]);
  expect((await store.findTask(2, 7))?.resultJson).toBe('{"kept":true}');
  expect(await store.readInputs(1, [0])).toEqual(['"input"']);
  // The moment of creation was only in the text of the specification.
  expect((await Array.fromAsync(store.listEndedJobs(null))).flat()).toEqual([
    {
      key: 2,
      status: 'completed',
      createdAt: startAt,
      completedAt: startAt + 2500,
      taskCount: 10,
      completed: 9,
      failed: 1,
    },
  ]);
  await store.commit(batch({ sequence: 42, work: [workRow(2, 'worker-1')] }), startAt);
  expect(await store.sumWork({})).toMatchObject([{ completed: 1 }]);
  // What was there before there were owners is the admin's.
  expect(await store.findJobOwner('job-1')).toBe('admin');
  expect(await store.listJobs({ owner: 'admin' }, null, 9)).toHaveLength(2);
  expect(await store.listFailures('worker-1', 9, 'admin')).toHaveLength(1);
  expect(state.ownerCounters.size).toBe(0);
  await store.close();
});

/** What version 2 added to that. */
const contentOfVersion2 = `
  update meta set next_recovery_id = 8;
  update jobs set created_at = ${startAt};
  insert into recoveries values
    (7, 1, 0, 'worker-1', null, 'worker_lost', 1, null, null, null, ${startAt}, null, 0, 1.5,
      'requeued', 1);
  insert into idempotency_keys values ('key', 1, 'hash', ${startAt});
  insert into work values (${startAt}, 2, 'worker-1', 9, 1, 0, 81.5, 90, 2);
  insert into work_seconds values (${startAt}, 2, 9, 1);
`;

test('a file of version 2 is upgraded and keeps its data', async () => {
  const path = await makeVersion2();
  const store = openSqliteStore(path);
  const state = await store.load();
  expect(state).toMatchObject({ sequence: 41, nextRecoveryId: 8, nextCheckpointId: 1 });
  expect(state.jobs).toEqual([
    jobRow(1, { generation: 2 }, { status: 'running', cursors: [1], startedAt: startAt }),
  ]);
  expect(state.tasks).toMatchObject([
    {
      row: { index: 0, attempt: 2, others: [], runBeforeMs: null },
      past: [{ attempt: 1 }],
      checkpoints: [],
    },
  ]);
  expect(state.workers).toMatchObject([{ id: 'worker-1', quarantine: null }]);
  expect(state.recoveries).toMatchObject([{ id: 7, outcome: 'requeued', jobId: 'job-1' }]);
  expect((await store.findTask(2, 7))?.resultJson).toBe('{"kept":true}');
  expect(await visitKey(store, 'key')).toMatchObject({ jobId: 'job-1' });
  const work = [workRow(2, 'worker-1', { wastedMs: 5 })];
  const live = { attempt: 2, workerId: 'worker-1', token: 'token', assignedAt: startAt };
  const others = [{ ...live, runBeforeMs: 0 }];
  const tasks = [{ ...state.tasks[0]!.row, attempt: 3, others }];
  const taken = [newCheckpoint(1, 1)];
  await store.commit(batch({ sequence: 42, work, tasks, checkpoints: taken }), startAt);
  await store.close();
  const reopened = openSqliteStore(path);
  expect(await reopened.sumWork({})).toMatchObject([{ completed: 10, wastedMs: 5 }]);
  expect((await reopened.load()).tasks).toMatchObject([
    { row: { attempt: 3, others }, checkpoints: [taken[0]!.row] },
  ]);
  await reopened.close();
});

/** What version 3 added to that: a program for every job, two of them the same, and a checkpoint. */
const contentOfVersion3 = `
  insert into programs values (2, '{}'), (3, '{"kind":"other"}');
  update meta set next_checkpoint_id = 2;
  insert into checkpoints values
    (1, 1, 0, 1, 1, 'worker-1', 0.5, 4, 4, 'hash', 1500, ${startAt});
  insert into checkpoint_states values (1, ${2 ** 24}, 0, 'null');
`;

test('a file of version 3 is upgraded, and jobs with the same program share it', async () => {
  const path = await makeVersion3();
  const store = openSqliteStore(path);
  expect(await store.load()).toMatchObject({
    sequence: 41,
    nextRecoveryId: 8,
    tasks: [{ checkpoints: [{ id: 1, runMs: 1500 }] }],
  });
  for (const key of [1, 2]) {
    expect(await store.findProgram(key)).toEqual(programRow('{}'));
    expect(await store.findProgramHash(key)).toBe(programRow('{}').sha256);
  }
  expect(programsIn(path)).toEqual(['{"kind":"other"}', '{}']);
  // The third job is of a generation that was cleared.
  expect(await store.findProgram(3)).toBeUndefined();
  while (await store.sweep(100));
  expect(programsIn(path)).toEqual(['{}']);

  const jobs = [jobRow(4, { generation: 2 })];
  const payloads = [{ jobKey: 4, program: programRow('{}'), inputs: [] }];
  await store.commit(batch({ sequence: 42, jobs, payloads, deletedJobs: [1, 2] }), startAt);
  while (await store.sweep(100));
  expect(programsIn(path)).toEqual(['{}']);
  expect(await store.findProgram(4)).toEqual(programRow('{}'));
  await store.close();
});

test('an upgraded job does not get the program of another, whatever its row says later', async () => {
  const path = await makeVersion3();
  await openSqliteStore(path).close();
  const db = new DatabaseSync(path);
  db.exec(`update job_programs set program_key =
    (select program_key from job_programs where job_key = 3) where job_key = 1`);
  db.close();
  const store = openSqliteStore(path);
  await store.load();
  await expect(store.findProgram(1)).rejects.toMatchObject({ code: 'value_damaged' });
  expect(await store.findProgram(2)).toEqual(programRow('{}'));
  await store.close();
});

test('the upgrade does not keep every program of a file in memory', async () => {
  const path = await makeVersion3();
  const db = new DatabaseSync(path);
  const insert = db.prepare('insert into programs values (?, ?)');
  for (let key = 4; key < 44; key++) insert.run(key, JSON.stringify(`${key}`.padEnd(2_000_000)));
  db.close();
  const script = `
    const { openSqliteStore } = await import(${JSON.stringify(import.meta.resolve('../../open.ts'))});
    await openSqliteStore(${JSON.stringify(path)}).close();
  `;
  // Out of memory, a thread ends with an error; of its 64 MB a half is enough.
  const resourceLimits = { maxOldGenerationSizeMb: 64 };
  const thread = new Worker(`(async () => {${script}})()`, { eval: true, resourceLimits });
  expect(await once(thread, 'exit')).toEqual([0]);
  expect(programsIn(path)).toHaveLength(42);
});

test('an upgrade tells how it goes on, a new file and a current one need none', async () => {
  const told: string[] = [];
  const onUpgrade = (sentence: string) => void told.push(sentence);
  await openSqliteStore(await makeVersion4(), { onUpgrade }).close();
  const newest = migrations.length;
  const steps = migrations.slice(4).map((_, i) => `The database has schema ${i + 5} of ${newest}.`);
  expect(told.map((sentence) => sentence.replace(/ in [0-9.]+ s/, ' in N s'))).toEqual([
    `The database (1 MB) is brought from schema 4 to ${newest}; nobody is served before that is done.`,
    ...steps,
    `The database was brought to schema ${newest} in N s.`,
  ]);

  const fresh = join(await makeDirectory(), 'fresh.db');
  for (const _ of ['new', 'current']) await openSqliteStore(fresh, { onUpgrade }).close();
  expect(told).toHaveLength(steps.length + 2);
});

test('values of before have no hash and are given out, those of new jobs need one', async () => {
  const path = await makeVersion4();
  const store = openSqliteStore(path);
  await store.load();
  expect(await store.findTask(2, 7)).toMatchObject({ resultJson: '{"kept":true}' });
  expect(await store.readInputs(1, [0])).toEqual(['"input"']);
  expect(await store.findProgram(1)).toEqual(programRow('{}'));
  expect(await store.listAttempts(1, 0)).toMatchObject([{ errorType: 'lost' }]);
  const rows = { jobs: [jobRow(4, { generation: 2 })], payloads: [payload(4, 2)] };
  const tasks = [completedRow(1, 1), completedRow(4, 0)];
  await store.commit(batch({ sequence: 42, ...rows, tasks }), startAt);
  await store.close();
  const db = new DatabaseSync(path);
  expect(db.prepare('select hash from tasks where hash is not null').all()).toHaveLength(2);
  db.exec('update tasks set hash = null; update inputs set hash = null');
  db.close();
  const reopened = openSqliteStore(path);
  expect(await reopened.findTask(1, 1)).toMatchObject({ resultJson: '1' });
  await expect(reopened.findTask(4, 0)).rejects.toMatchObject({ code: 'value_damaged' });
  await expect(reopened.readInputs(4, [0])).rejects.toMatchObject({ code: 'value_damaged' });
  await reopened.close();
});

test('jobs of before have no time of their own, and are found by their end', async () => {
  const store = openSqliteStore(await makeVersion4());
  await store.load();
  const listed = async (lists: ExpiringWanted['lists']) =>
    (await visit(store, { expiring: { limit: 9, lists } })).expiring.map(({ spec }) => spec);
  expect(await listed(['own'])).toEqual([]);
  expect(await listed(['others'])).toMatchObject([{ id: 'job-2', retainMs: null }]);
  await store.close();
});

test('work of before is summed after the start, and stays what it was', async () => {
  const path = await makeVersion4();
  const store = openSqliteStore(path);
  await store.load();
  const before = await store.sumWork({});
  expect(before).toMatchObject([{ workerId: 'worker-1', completed: 9, completedMs: 81.5 }]);
  let sums = 0;
  while (await store.keepSums(startAt + 90_000_000)) sums++;
  expect(sums).toBe(2);
  expect(await store.sumWork({})).toEqual(before);
  await store.close();
});

test('nobody is told of the ends of jobs of before', async () => {
  const store = openSqliteStore(await makeVersion4());
  expect(await store.load()).toMatchObject({
    nextNotificationId: 1,
    jobs: [{ spec: { notify: null } }],
  });
  expect(await store.listNotifications(2, 9)).toEqual([]);
  const anything = { at: Infinity, beyond: Infinity, exceptIds: [], exceptHosts: [], limit: 9 };
  expect(await store.listDueNotifications(anything)).toEqual([]);
  await store.close();
});

test('what has happened begins with what is there', async () => {
  const store = openSqliteStore(await makeVersion4());
  const { totals } = await store.load();
  expect(totals).toMatchObject({
    jobsSubmitted: 2,
    jobsCompleted: 1,
    jobsFailed: 0,
    attempts: { failed: 0, timed_out: 0, released: 0 },
    jobsRemoved: { deleted: 0, expired: 0, cleared: 0 },
    tasksRequeued: 0,
    checkpoints: 0,
    tasksSubmitted: 20,
    tasksCompleted: 9,
    tasksFailed: 1,
  });
  await store.close();
});

test('jobs that were removed before were deleted by somebody', async () => {
  const written = "update meta set totals = json_object('jobsRemoved', 7, 'tasksFailed', 3)";
  const path = await makeFile([...migrations.slice(0, 11), written], 11);
  const store = openSqliteStore(path);
  expect((await store.load()).totals).toMatchObject({
    jobsRemoved: { deleted: 7, expired: 0, cleared: 0 },
    tasksFailed: 3,
  });
  await store.close();
});

test('how the scheduler was configured begins with what is in force', async () => {
  const config = {
    algorithm: 'edas',
    weighting: 'manual',
    weights: { cpu: 1 },
    updatedAt: startAt,
  };
  const written = `update meta set config = '${JSON.stringify(config)}'`;
  const path = await makeFile([...migrations.slice(0, 24), written], 24);
  const store = openSqliteStore(path);
  expect(await store.listSchedulerChanges(9)).toEqual([config]);
  expect((await store.load()).config).toEqual(config);
  await store.close();

  const without = openSqliteStore(await makeVersion4());
  expect(await without.listSchedulerChanges(9)).toEqual([]);
  await without.close();
});

test('tasks that were cancelled before are counted among those of their job', async () => {
  const before = migrations.indexOf(cancelledTasks);
  const cancelled = `update tasks set status = 4 where key = ${2 ** 24}`;
  const scripts = [firstLight, contentOfVersion1, ...migrations.slice(1, before), cancelled];
  const store = openSqliteStore(await makeFile(scripts, before));
  const counts = await store.countCells(1, { from: 0, to: 2, width: 1 });
  expect(counts?.cancelled).toEqual([1, 0]);
  await store.close();
});

test('of attempts that ended before, no account is known', async () => {
  const store = openSqliteStore(await makeVersion1());
  expect(await store.listAccepted(2, 0, 9)).toMatchObject([{ index: 7, account: null }]);
  expect(await store.listAttempts(1, 0)).toMatchObject([{ attempt: 1, account: null }]);
  await store.close();
});

test('an upgraded file has the schema of a new one', async () => {
  const directory = await makeDirectory();
  const fresh = join(directory, 'fresh.db');
  await openSqliteStore(fresh).close();
  for (const make of [makeVersion1, makeVersion2, makeVersion3, makeVersion4]) {
    const upgraded = await make();
    await openSqliteStore(upgraded).close();
    expect(schemaOf(upgraded)).toEqual(schemaOf(fresh));
  }
});

async function makeVersion1(): Promise<string> {
  return makeFile([firstLight, contentOfVersion1], 1);
}

async function makeVersion2(): Promise<string> {
  return makeFile([firstLight, contentOfVersion1, history, contentOfVersion2], 2);
}

async function makeVersion3(): Promise<string> {
  const scripts = [firstLight, contentOfVersion1, history, contentOfVersion2, checkpointTables];
  return makeFile([...scripts, contentOfVersion3], 3);
}

async function makeVersion4(): Promise<string> {
  const before = [firstLight, contentOfVersion1, history, contentOfVersion2, checkpointTables];
  return makeFile([...before, contentOfVersion3, programTables], 4);
}

async function makeFile(scripts: readonly string[], version: number): Promise<string> {
  const path = join(await makeDirectory(), 'muster.db');
  const {
    id: _,
    key: __,
    // Of a later version.
    speculation: ___,
    retainMs: ____,
    notify: _____,
    generation,
    clientId,
    taskCount,
    taskPriorities,
    ...rest
  } = jobRow(1).spec;
  expect([generation, clientId, taskCount, taskPriorities]).toEqual([1, 'anonymous', 10, null]);
  const spec = `'${JSON.stringify(rest)}'`;
  const db = new DatabaseSync(path);
  defineHashes(db);
  db.exec(`pragma application_id = ${applicationId}; pragma journal_mode = wal`);
  for (const script of scripts) db.exec(script.replaceAll('$spec', spec));
  db.exec(`pragma user_version = ${version}`);
  db.close();
  return path;
}

function programsIn(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare('select json from programs order by json').all();
  db.close();
  return rows.map(({ json }) => json);
}

function schemaOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const version = readNumber(db, 'pragma user_version');
  const objects = db.prepare('select type, name, sql from sqlite_schema order by name').all();
  db.close();
  expect(version).toBe(migrations.length);
  return objects;
}
