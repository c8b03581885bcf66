// From times to pixels. Long stretches in which nothing happens are folded to a strip of fixed width.

/** Milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Fold extends Span {
  /** Pixels. */
  readonly left: number;
  readonly right: number;
}

export interface TimeScale {
  readonly span: Span;
  readonly left: number;
  readonly right: number;
  readonly folds: readonly Fold[];
  readonly x: (at: number) => number;
  readonly at: (x: number) => number;
}

export interface Tick {
  readonly at: number;
  readonly x: number;
}

const foldedFrom = 0.2;
const leastFoldedMs = 20_000;
const foldWidth = 44;
const secondMs = 1_000;
const stepsOfTime = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800]
  .concat([1, 2, 3, 6, 12, 24, 48, 96, 168].map((hours) => hours * 3_600))
  .map((seconds) => seconds * secondMs);

/** Stretches of the span that no busy one touches, if they are long, and longer than a fifth of it. */
export function idleStretches(busy: readonly Span[], span: Span): readonly Span[] {
  const least = Math.max(leastFoldedMs, (span.to - span.from) * foldedFrom);
  const sorted = busy
    .filter(({ from, to }) => to > span.from && from < span.to)
    .toSorted((a, b) => a.from - b.from);
  // Where nothing happens at all there is nothing to make room for.
  if (sorted.length === 0) return [];
  const idle: Span[] = [];
  let free = span.from;
  for (const { from, to } of sorted) {
    if (from - free > least) idle.push({ from: free, to: from });
    free = Math.max(free, to);
  }
  if (span.to - free > least) idle.push({ from: free, to: span.to });
  return idle;
}

export function timeScale(
  span: Span,
  { left, right }: { readonly left: number; readonly right: number },
  idle: readonly Span[] = [],
): TimeScale {
  const room = Math.max(1, right - left);
  const isFolded = idle.length * foldWidth < room / 2;
  const folded = isFolded ? idle : [];
  const shown = span.to - span.from - folded.reduce((sum, { from, to }) => sum + to - from, 0);
  const perMs = (room - folded.length * foldWidth) / Math.max(1, shown);
  const pieces: Fold[] = [];
  const folds: Fold[] = [];
  let [from, x] = [span.from, left];
  for (const stretch of [...folded, null]) {
    const to = stretch?.from ?? span.to;
    const end = x + (to - from) * perMs;
    pieces.push({ from, to, left: x, right: end });
    if (stretch === null) break;
    const fold = { ...stretch, left: end, right: end + foldWidth };
    folds.push(fold);
    pieces.push(fold);
    [from, x] = [stretch.to, fold.right];
  }
  const last = pieces.at(-1)!;
  return {
    span,
    left,
    right,
    folds,
    x: (at) => {
      const piece = pieces.find(({ to }) => at <= to) ?? last;
      return interpolated(at, piece.from, piece.to, piece.left, piece.right);
    },
    at: (px) => {
      const piece = pieces.find((each) => px <= each.right) ?? last;
      return interpolated(px, piece.left, piece.right, piece.from, piece.to);
    },
  };
}

function interpolated(value: number, a: number, b: number, from: number, to: number): number {
  return b === a ? from : from + ((value - a) / (b - a)) * (to - from);
}

/** Round local times, at least `apart` pixels from each other, none inside a fold. */
export function ticksOf(scale: TimeScale, apart: number): readonly Tick[] {
  const { span, left, right, folds } = scale;
  const shown = span.to - span.from - folds.reduce((sum, { from, to }) => sum + to - from, 0);
  const room = right - left - folds.length * foldWidth;
  const least = (shown / Math.max(1, room)) * apart;
  const step = stepsOfTime.find((each) => each >= least) ?? stepsOfTime.at(-1)!;
  const zone = new Date(span.from).getTimezoneOffset() * 60 * secondMs;
  const ticks: Tick[] = [];
  let at = Math.ceil((span.from - zone) / step) * step + zone;
  while (at <= span.to) {
    const fold = folds.find(({ from, to }) => at > from && at < to);
    if (fold !== undefined) {
      at = Math.max(at + step, Math.ceil((fold.to - zone) / step) * step + zone);
      continue;
    }
    const x = scale.x(at);
    if (x - (ticks.at(-1)?.x ?? Number.NEGATIVE_INFINITY) >= apart / 2) ticks.push({ at, x });
    at += step;
  }
  return ticks;
}

/** Nearer to a moment, or farther from it, which keeps its place; never nearer than two seconds. */
export function zoomed(span: Span, around: number, factor: number): Span {
  const length = Math.max(2 * secondMs, (span.to - span.from) * factor);
  const share = (around - span.from) / Math.max(1, span.to - span.from);
  const from = around - share * length;
  return { from, to: from + length };
}
