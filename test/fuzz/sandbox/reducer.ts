// Reduces the programs that show a hole: fewer programs, and fewer statements in each. Every reduction is
// run again, so the programs that remain still show the hole.

import type { FuzzProgram, Piece } from './program-tree.ts';

export type Shows = (programs: readonly FuzzProgram[]) => Promise<boolean>;

const mostTrials = 60;

/** The statements of programs that are known to show it. */
export async function reduce(
  programs: readonly FuzzProgram[],
  shows: Shows,
): Promise<readonly FuzzProgram[]> {
  let trials = 0;
  const tried: Shows = async (fewer) => trials++ < mostTrials && shows(fewer);
  const small: FuzzProgram[] = [...programs];
  for (const [at, program] of programs.entries()) {
    const showsBody = (body: readonly Piece[]) => tried(small.with(at, { ...program, body }));
    small[at] = { ...program, body: await smallerBody(program.body, showsBody) };
  }
  return small;
}

/** Halves as long as one half is enough, then without each. */
export async function fewerOf(
  programs: readonly FuzzProgram[],
  shows: Shows,
): Promise<readonly FuzzProgram[]> {
  if (programs.length === 0) return programs;
  if (await shows([])) return [];
  let left = programs;
  while (left.length > 1) {
    const middle = left.length >> 1;
    const [first, second] = [left.slice(0, middle), left.slice(middle)];
    if (await shows(second)) left = second;
    else if (await shows(first)) left = first;
    else return withoutEach(left, shows);
  }
  return left;
}

async function withoutEach<T>(
  items: readonly T[],
  shows: (fewer: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let left = items;
  for (let size = Math.max(1, left.length >> 1); size >= 1; size >>= 1) {
    for (let at = left.length - size; at >= 0; at -= size) {
      const fewer = left.toSpliced(at, size);
      if (await shows(fewer)) left = fewer;
    }
  }
  return left;
}

/** From the end, for what comes later leans on what is before it; then inside of what is left. */
async function smallerBody(
  body: readonly Piece[],
  shows: (body: readonly Piece[]) => Promise<boolean>,
): Promise<readonly Piece[]> {
  let left = await withoutEach(body, shows);
  for (let at = left.length - 1; at >= 0; at--) {
    const piece = left[at]!;
    if (typeof piece === 'string') continue;
    const unwrapped = left.toSpliced(at, 1, ...piece.body);
    if (!piece.open.includes('class') && (await shows(unwrapped))) {
      left = unwrapped;
      at += piece.body.length;
      continue;
    }
    const before = left;
    const inner = await smallerBody(piece.body, (some) =>
      shows(before.with(at, { ...piece, body: some })),
    );
    left = left.with(at, { ...piece, body: inner });
  }
  return left;
}
