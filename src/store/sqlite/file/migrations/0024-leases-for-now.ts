// The lease that a worker asked for with its last heartbeat, instead of that of its hello: a phone that sleeps is
// waited for over a restart too. Null: for none.

export const leasesForNow = `
  alter table workers add column lease_now_ms real;
`;
