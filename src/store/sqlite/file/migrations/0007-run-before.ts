// What a live attempt found done when it began; null in rows of before.

export const runBefore = `
  alter table tasks add column run_before_ms real;
`;
