// Who may ask. Workers of before keep their tokens, of which the hash is stored with them already.

export const tokens = `
  create table tokens (
    id text primary key,
    kind text not null,
    -- SHA-256 of the text of the token.
    hash text not null unique,
    owner text not null,
    label text,
    created_at real not null,
    expires_at real,
    last_used_at real,
    quota text not null,
    uses_left integer,
    revoked_at real,
    worker_id text,
    labels text not null,
    needs_approval integer not null
  ) strict;
  insert or ignore into tokens
    select lower(hex(randomblob(4))), 'worker', token_hash, 'admin', null, registered_at, null, null, '{}',
        null, null, id, '{}', 0
      from workers where is_registered = 1 or may_return = 1;
`;
