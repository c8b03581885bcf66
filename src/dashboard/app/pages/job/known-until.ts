// Until when what was read is known to be so: until something changes. A long answer is read again only every few
// seconds, and what it tells to be running may have ended meanwhile.

interface WhenRead {
  /** When it was asked for, and how much had changed by then. */
  readonly atMs: number;
  readonly changes: number;
}

interface Told {
  readonly changes: number;
  /** When the coordinator said the last of what is shown. */
  readonly saidMs: number;
  readonly nowMs: number;
}

/** `before`: what was known last. It never goes back, so nothing that is drawn becomes shorter. */
export function knownUntil(
  before: number,
  read: WhenRead | null,
  { changes, saidMs, nowMs }: Told,
): number {
  if (read === null) return before;
  const known = read.changes === changes ? Math.max(saidMs, read.atMs) : read.atMs;
  return Math.min(nowMs, Math.max(before, known));
}
