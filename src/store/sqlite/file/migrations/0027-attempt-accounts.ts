// Where attempts that are over began, and what they saved and cost; null in rows of before.

export const attemptAccounts = `
  -- Behind the result, and read only for an export.
  alter table tasks add column energy_joules real;
  alter table tasks add column account text;
  alter table attempts add column account text;
`;
