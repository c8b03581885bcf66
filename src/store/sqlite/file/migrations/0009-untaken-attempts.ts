// Attempts in a row that a worker did not take share a row. Those of before are one each.

export const untakenAttempts = `
  alter table attempts add column count integer not null default 1;
`;
