// What the attempt of a checkpoint found done when it began; null in rows of before.

export const runBefore = `
  alter table checkpoints add column run_before_ms real;
`;
