// What owners keep, counted as it comes and goes. Nobody's jobs of before are counted; what the admin keeps never is.

export const quotas = `
  alter table jobs add column stored_bytes integer not null default 0;

  -- Somebody else (a worker) has put it, and a job of the owner refers to it: it counts, and gives no right.
  alter table blob_owners add column is_brought integer not null default 0;
  -- Bytes of the blobs of an owner: those in blob_owners, each once.
  create table owner_bytes (owner text primary key, bytes integer not null) strict, without rowid;
  insert into owner_bytes
    select owner, sum(size_bytes) from blob_owners join blobs on key = blob_key group by owner;
  create trigger blob_owned after insert on blob_owners begin
    insert or ignore into owner_bytes (owner, bytes) values (new.owner, 0);
    update owner_bytes
      set bytes = bytes + coalesce((select size_bytes from blobs where key = new.blob_key), 0)
      where owner = new.owner;
  end;
  create trigger blob_disowned after delete on blob_owners begin
    update owner_bytes
      set bytes = bytes - coalesce((select size_bytes from blobs where key = old.blob_key), 0)
      where owner = old.owner;
    delete from owner_bytes where owner = old.owner and bytes <= 0;
  end;
`;
