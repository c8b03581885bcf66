// Removed jobs are counted by their cause. Of those that were removed before, most were deleted by somebody.

export const removals = `
  update meta set totals = json_set(totals,
    '$.jobsRemoved', json_object(
      'deleted', json_extract(totals, '$.jobsRemoved'), 'expired', 0, 'cleared', 0),
    '$.tasksRequeued', 0, '$.checkpoints', 0)
  where totals is not null;
`;
