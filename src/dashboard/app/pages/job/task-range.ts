// The part of a job's tasks that is looked at, as the address has it: `6000-7000`, both in it.

export interface TaskRange {
  readonly from: number;
  /** Excluded. */
  readonly to: number;
}

/** What the address asks for, as far as the job has it; the whole job where that is nothing. */
export function rangeIn(text: string | null, taskCount: number): TaskRange {
  const whole = { from: 0, to: taskCount };
  const [, first, last] = /^(\d{1,9})-(\d{1,9})$/.exec(text ?? '') ?? [];
  if (first === undefined || last === undefined) return whole;
  const range = { from: Number(first), to: Math.min(taskCount, Number(last) + 1) };
  return range.from < range.to ? range : whole;
}

/** Null: the whole job, which the address does not name. */
export function rangeText({ from, to }: TaskRange, taskCount: number): string | null {
  return from === 0 && to >= taskCount ? null : `${from}-${to - 1}`;
}
