// Since when a worker drains, and by when it must be free. Those that drained before have neither.

export const drains = `
  alter table workers add column drained_at real;
  alter table workers add column drain_deadline real;
`;
