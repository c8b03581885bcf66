// The result of one check. `warning`: it works, but could be better or safer; `problem`: muster will not
// work on this machine until it is mended.

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly finding: string;
  /** What to do about it; null when there is nothing to do. */
  readonly advice: string | null;
}

export function ok(check: string, finding: string): Finding {
  return { check, status: 'ok', finding, advice: null };
}

export function warning(check: string, finding: string, advice: string): Finding {
  return { check, status: 'warning', finding, advice };
}

export function problem(check: string, finding: string, advice: string | null): Finding {
  return { check, status: 'problem', finding, advice };
}
