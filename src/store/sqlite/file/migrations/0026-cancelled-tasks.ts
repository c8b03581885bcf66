// Rows of tasks that were cancelled while somebody had them are few among those of their job, and are counted for
// its map.

export const cancelledTasks = `
  create index tasks_cancelled on tasks (key) where status = 4;
`;
