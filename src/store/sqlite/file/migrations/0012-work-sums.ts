// Sums of the work of hours and days that are over. Of what is there already they are made after the start,
// in small steps; until then questions go through the rows, as before.

export const workSums = `
  create table work_sums (
    span_ms integer not null,
    begins_at integer not null,
    -- Several, when many workers did something in the span.
    part integer not null,
    -- JSON: an array for each worker.
    works text not null,
    primary key (span_ms, begins_at, part)
  ) strict;
`;
