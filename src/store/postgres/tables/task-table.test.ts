// A page of a large job is read along an index, whatever the planner knows of its tasks.

import { expect, onTestFinished, test } from 'vitest';
import { parseAddress } from '../driver/address.ts';
import { connect } from '../driver/session.ts';
import type { Query } from '../driver/statement.ts';
import { openPostgresStore } from '../open.ts';
import { pagesOf } from '../testing/pages-read.ts';
import { makeSchema } from '../testing/schemas.ts';
import { listAttemptsOfJob } from './attempt-table.ts';
import { listAcceptedTasks, listTasksOf, lookAtResults, lookAtTasks } from './task-table.ts';

/** Two jobs: all tasks of one are completed, each after an attempt that failed, and those of the other wait. */
const fill = `insert into jobs (key, id, generation, client_id, status, task_count, completed, failed,
    cancelled, cursors, created_at, stored_bytes, spec)
  select k, 'job ' || k, 1, 'client', 1, 30000, 0, 0, 0, '[]', k, 5, '{}' from generate_series(1, 2) k;
  insert into tasks (job_key, task_index, status, attempt, errors, losses, timeouts, not_before, avoid,
    others, result_json)
  select k, i, case when k = 1 then 2 else 0 end, 2, 1, 0, 0, 0, '[]', '[]', repeat('r', 100)
    from generate_series(1, 2) k, generate_series(0, 29999) i;
  insert into attempts (job_key, task_index, attempt, count, worker_id, outcome, error_type, error_message,
    assigned_at, ended_at)
  select 1, i, 1, 1, 'w' || i % 3, 'failed', 'error', repeat('e', 100), i, i from generate_series(0, 29999) i`;

const questions: readonly (readonly [string, (query: Query) => Promise<unknown>])[] = [
  ['tasks', (query) => lookAtTasks(query, 1, 0, 20)],
  ['results', (query) => lookAtResults(query, 1, 0, 20, 1e6)],
  ['accepted tasks', (query) => listAcceptedTasks(query, 1, 100, 20)],
  ['completed tasks', (query) => listTasksOf(query, 1, ['completed'], 0, 20)],
  ['pending tasks', (query) => listTasksOf(query, 2, ['pending', 'assigned'], 0, 20)],
  ['attempts', (query) => listAttemptsOfJob(query, 1, null, 20)],
];

test.each(['before', 'after'])('no page reads many tasks, %s they were counted', async (moment) => {
  const schema = makeSchema();
  onTestFinished(() => schema.remove());
  await (await openPostgresStore(schema.address)).close();
  const client = await connect(parseAddress(schema.address));
  onTestFinished(() => client.end());
  await client.query(`begin read write; ${fill}; commit`);
  if (moment === 'after') await client.query('analyze jobs; analyze tasks; analyze attempts');
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await client.query(`set plan_cache_mode to ${mode}`);
    for (const [name, ask] of questions) {
      const pages: number[] = [];
      await ask(async (text, values = []) => {
        pages.push(await pagesOf(client, text, values));
        return [];
      });
      expect({ name, mode, isFew: Math.max(...pages) < 100 }).toEqual({ name, mode, isFew: true });
    }
  }
});
