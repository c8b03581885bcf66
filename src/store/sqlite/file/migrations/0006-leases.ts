// Leases that workers have asked for; null for that of everybody.

export const leases = `
  alter table workers add column lease_ms real;
`;
