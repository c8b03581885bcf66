// Options of a job that were added after the first jobs were stored: what holds where a row does not name them.

export const laterOptions = {
  retainMs: null,
  notify: null,
  keepOutput: 'on_failure',
  liveOutput: false,
  memoryMb: 512,
  hold: false,
} as const;
