// Numbers and durations as a person would write them: in sentences of the coordinator, and on a terminal.

export const timeUnits = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** 12 345 → `12 345` */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}

/** `1 task`, `2 000 tasks` */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The two largest units: `350 ms`, `4.2 s`, `3 min 5 s`, `2 d 4 h` */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const total = Math.round(ms / 1_000);
  const first = timeUnits.findIndex(({ seconds }) => total >= seconds);
  const large = timeUnits[first]!;
  const small = timeUnits[first + 1];
  const count = Math.floor(total / large.seconds);
  const rest = small === undefined ? 0 : Math.floor((total % large.seconds) / small.seconds);
  return rest === 0
    ? `${count} ${large.name}`
    : `${count} ${large.name} ${rest} ${small?.name ?? ''}`;
}
