// A page of jobs is found where it lies, whoever has which jobs and whatever the planner knows of them.

import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Query } from '../driver/statement.ts';
import { openPostgresStore } from '../open.ts';
import { pagesOf } from '../testing/pages-read.ts';
import { makeSchema } from '../testing/schemas.ts';
import { findJobs, listExpiring, listJobs, listMeantJobs } from './job-lists.ts';

/** The oldest jobs alone have failed, or are old's; the rest has many owners, and the admin has a third of all. */
const fill = `insert into jobs (key, id, generation, client_id, owner, name, status, task_count, completed,
    failed, cancelled, cursors, created_at, completed_at, expires_at, stored_bytes, spec)
  select k, lpad(to_hex(k), 12, '0') || '-' || md5(k::text), 1, 'client ' || k % 7,
    case when k < 1000 then 'old' when k % 3 = 0 then null else 'owner ' || k % 2 end, 'name ' || k % 50,
    case when k < 100 then 3 else 2 end, 10, 10, 0, 0, '[]', k, k, case when k % 2 = 0 then k end, 5, '{}'
  from generate_series(1, 40000) k`;

const questions: readonly (readonly [string, (query: Query) => Promise<readonly unknown[]>])[] = [
  ['all', (query) => listJobs(query, {}, null, 20)],
  ['a status that is rare', (query) => listJobs(query, { statuses: ['failed'] }, null, 20)],
  ['a status that nothing has', (query) => listJobs(query, { statuses: ['running'] }, null, 20)],
  ['those of a client', (query) => listJobs(query, { clientId: 'client 3' }, 20_000, 20)],
  ['an owner that has many', (query) => listJobs(query, { owner: 'owner 1' }, null, 20)],
  ['an owner whose jobs are old', (query) => listJobs(query, { owner: 'old' }, null, 20)],
  ['an owner that has none', (query) => listJobs(query, { owner: 'nobody' }, null, 20)],
  [
    'a client of an owner',
    (query) => listJobs(query, { owner: 'old', clientId: 'client 3' }, null, 20),
  ],
  ['a name', (query) => listMeantJobs(query, 'name 7', 10)],
  ['a beginning that all have', (query) => listMeantJobs(query, '0000', 10, 'old')],
  ['an end', (query) => listMeantJobs(query, 'abcd', 10)],
  ['an end, of an owner', (query) => listMeantJobs(query, 'abcd', 10, 'old')],
  ['a handle that is too short', (query) => listMeantJobs(query, 'abc', 10, 'old')],
  ['what expires by itself', (query) => listExpiring(query, { lists: ['own'], limit: 10 })],
  ['what expires else', (query) => listExpiring(query, { lists: ['others', 'all'], limit: 10 })],
  ['ids', (query) => findJobs(query, ['a', 'b', 'c'])],
];

test.each(['before', 'after'])('no list reads many jobs, %s they were counted', async (moment) => {
  const schema = makeSchema();
  onTestFinished(() => schema.remove());
  await (await openPostgresStore(schema.address)).close();
  const client = new Client(inject('postgresUrl'));
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`set search_path to ${schema.name}; ${fill}`);
  if (moment === 'after') await client.query('analyze jobs');
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await client.query(`set plan_cache_mode to ${mode}`);
    for (const [name, ask] of questions) {
      const pages: number[] = [];
      await ask(async (text, values = []) => {
        pages.push(await pagesOf(client, text, values));
        return [];
      });
      expect({ name, mode, isFew: Math.max(...pages) < 300 }).toEqual({ name, mode, isFew: true });
    }
  }
});
