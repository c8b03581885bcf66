// What program each worker runs, as it said at its last hello; null when it did not.

export const workerVersions = `
  alter table workers add column version text;
`;
