// What was done, and by whom. Rows are only added, and trimmed from the oldest on.

export const audit = `
  create table audit (
    id integer primary key,
    at real not null,
    action text not null,
    object text,
    outcome text not null,
    code text,
    count integer not null,
    token_id text,
    role text,
    owner text,
    address text
  ) strict;
  create index audit_done on audit (id) where outcome = 'done';
  create index audit_refused on audit (id) where outcome <> 'done';
`;
