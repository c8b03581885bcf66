// How much memory each worker can give one task, as it said at its last hello; null when it did not.

export const taskMemory = `
  alter table workers add column task_memory_mb integer;
`;
