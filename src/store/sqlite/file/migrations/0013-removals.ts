// Removed workers are found by their time, to be pruned. Removed jobs are counted by their cause. Of those that were removed before, most were deleted by somebody.

export const removals = `
  create index workers_forgotten on workers (generation, deregistered_at, id)
    where may_return = 1 and is_registered = 0;
  update meta set totals = json_set(totals,
    '$.jobsRemoved', json_object(
      'deleted', json_extract(totals, '$.jobsRemoved'), 'expired', 0, 'cleared', 0),
    '$.tasksRequeued', 0, '$.checkpoints', 0)
  where totals is not null;
`;
