// Fresh tasks that one worker was given in one batch are one row, until each has a row of its own.

export const dispatches = `
  create table dispatches (
    -- That of the first of its tasks.
    key integer primary key,
    worker_id text not null,
    assigned_at real not null,
    -- JSON: how many tasks, which follow one another; or a list of their distances from the first.
    tasks text not null,
    -- JSON, a list in the order of the tasks.
    tokens text not null,
    hash integer not null
  );
`;
