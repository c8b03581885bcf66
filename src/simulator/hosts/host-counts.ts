// Counts how often each situation has occurred that only worlds of several hosts have.

const names = [
  'takeovers',
  'deposed',
  'host_crashes',
  'host_freezes',
  'store_cuts',
  'store_absences',
  'refusals',
  'resignations',
  'trunk_cuts',
  'trunk_breaks',
  'wire_cuts',
  'one_sided_cuts',
  'slow_wires',
  'carried',
  'greeted',
  'carried_on',
  'tunnels',
  'cut_off',
  'lost_requests',
  'lost_answers',
  'slow_commits',
  'asked_late',
  'late_frames',
] as const;

export type HostCounts = Record<(typeof names)[number], number>;

export function noHostCounts(): HostCounts {
  return Object.fromEntries(names.map((name) => [name, 0])) as HostCounts;
}

export function addHostCounts(sum: HostCounts, more: HostCounts | null): void {
  for (const name of names) sum[name] += more?.[name] ?? 0;
}

/** Situations that never occurred. */
export function hostsNeverSeen(counts: HostCounts): readonly string[] {
  return names.filter((name) => counts[name] === 0);
}

export function hostCountLines(counts: HostCounts): string[] {
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)} ${counts[name]}`);
}
