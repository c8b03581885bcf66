// Fresh tasks that one worker was given in one batch are one row, until each has a row of its own.

import { withByteOrder } from './byte-order.ts';

export const dispatches = withByteOrder(`
  create table dispatches (
    job_key bigint not null,
    -- Of the first of its tasks, and of the last.
    task_index integer not null,
    last_index integer not null,
    worker_id text not null,
    assigned_at double precision not null,
    -- How far each task lies behind the first, with commas between; null: they follow one another.
    tasks text,
    -- In the order of the tasks, with U+0001 and a comma between.
    tokens text not null,
    primary key (job_key, task_index)
  );
`);
