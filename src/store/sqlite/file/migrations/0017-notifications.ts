// Who is told of the ends of jobs, and what came of it. Jobs of before tell nobody.

export const notifications = `
  create table notifications (
    id integer primary key,
    job_key integer not null,
    target integer not null,
    host text not null,
    status text not null,
    completed integer not null,
    failed integer not null,
    cancelled integer not null,
    started_at real,
    ended_at real not null,
    attempts integer not null,
    outcome text not null,
    -- Null: nothing is to be done any more.
    next_at real,
    answer text,
    tried_at real
  ) strict;
  create index notifications_of_job on notifications (job_key, id);
  create index notifications_due on notifications (next_at, id, host) where next_at is not null;
`;
