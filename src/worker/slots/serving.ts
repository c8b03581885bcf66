// Which child is for which kind of program. A child never changes what it serves.

/** JavaScript and WebAssembly share children, whose jobs share nothing; every other kind has its own. */
export function servedBy(kind: string): string {
  return kind === 'wasm' ? common : kind;
}

/** What spares are there for, and a slot has a child for when nothing waits. */
export const common = 'javascript';

/** Within an interpreter, modules and their state are shared: a child of such a kind is given one job. */
export function isForOneJob(serves: string): boolean {
  return serves !== common;
}
