// By which token a worker came, how an operator has named it, and whether a person has let it in. Name and token stay
// with the worker's own token, which outlives the worker.

export const joinedWorkers = `
  alter table workers add column joined_by text;
  alter table workers add column joined_label text;
  alter table workers add column given_name text;
  alter table workers add column waits_until real;
  alter table tokens add column joined_by text;
  alter table tokens add column given_name text;
`;
