// The scale of a chart of rates and counts: from 0 to a round number. It does not breathe: it grows only when
// something would stand above it, and shrinks only when that has been possible for a while.

const air = 1.1;
const shrinksAfterMs = 10_000;
const factors = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** Round, with a tenth of air above the most. */
export function roundTop(most: number): number {
  if (!(most > 0)) return 1;
  const wanted = most * air;
  const size = 10 ** Math.floor(Math.log10(wanted));
  const factor = factors.find((each) => each * size >= wanted * (1 - 1e-9)) ?? 10;
  return Number((factor * size).toPrecision(6));
}

/** Three to five lines, from 0 to the top. */
export function linesOf(top: number): readonly number[] {
  const size = 10 ** Math.floor(Math.log10(top) + 1e-9);
  const factor = Math.round((top / size) * 10) / 10;
  const parts = { 1: 4, 1.5: 3, 2: 4, 3: 3, 4: 4, 5: 2, 6: 3, 8: 4 }[factor] ?? 4;
  return Array.from({ length: parts + 1 }, (_, place) =>
    Number(((top * place) / parts).toPrecision(6)),
  );
}

export interface HeldTop {
  readonly top: number;
  /** Since when a smaller one would do; null: it would not. */
  readonly looseSinceMs: number | null;
}

export function holdTop(held: HeldTop | null, most: number, nowMs: number): HeldTop {
  const wanted = roundTop(most);
  if (held === null || most > held.top) return { top: wanted, looseSinceMs: null };
  if (wanted >= held.top)
    return held.looseSinceMs === null ? held : { ...held, looseSinceMs: null };
  if (held.looseSinceMs === null) return { ...held, looseSinceMs: nowMs };
  if (nowMs - held.looseSinceMs < shrinksAfterMs) return held;
  return { top: wanted, looseSinceMs: null };
}
