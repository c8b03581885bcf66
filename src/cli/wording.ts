// Numbers and times as a person would say them.

const UNITS = [
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
  const first = UNITS.findIndex(({ seconds }) => total >= seconds);
  const large = UNITS[first]!;
  const small = UNITS[first + 1];
  const count = Math.floor(total / large.seconds);
  const rest = small === undefined ? 0 : Math.floor((total % large.seconds) / small.seconds);
  return rest === 0
    ? `${count} ${large.name}`
    : `${count} ${large.name} ${rest} ${small?.name ?? ''}`;
}

/** `just now`, `5 s ago`, `3 h ago`. A clock that is ahead of ours is `just now` too. */
export function ago(time: string, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(time)) / 1_000);
  if (Number.isNaN(seconds)) return '?';
  if (seconds < 2) return 'just now';
  const unit = UNITS.find((each) => seconds >= each.seconds) ?? UNITS[3];
  return `${Math.floor(seconds / unit.seconds)} ${unit.name} ago`;
}

/** 0.314 → `31 %` */
export function percent(share: number): string {
  // 100 % is said only of what is done.
  return `${share >= 1 ? 100 : Math.min(99, Math.round(share * 100))} %`;
}
