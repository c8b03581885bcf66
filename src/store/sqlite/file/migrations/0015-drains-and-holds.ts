// Since when a worker drains, and by when it must be free: those that drained before have neither. Since when
// a job is held.

export const drainsAndHolds = `
  alter table workers add column drained_at real;
  alter table workers add column drain_deadline real;

  alter table jobs add column held_at real;
`;
