// The source of a program as it is sent: bundled and checked, with its constants.

import type { Context } from '../context.ts';
import { tellDoubts } from '../text/doubts.ts';

export interface ProgramFlags {
  /** A file of constants. */
  readonly with?: string;
  readonly check: boolean;
}

/** Tells its doubts. The bundler is loaded here, since most commands do without it. */
export async function programSource(
  path: string,
  flags: ProgramFlags,
  { terminal, folder }: Context,
): Promise<string> {
  const { bundleProgram } = await import('../bundle/bundle.ts');
  const { readWithValues, withValues } = await import('./with-values.ts');
  const along = flags.with === undefined ? {} : await readWithValues(flags.with, folder);
  const { source, doubts } = await bundleProgram(path, folder, {
    isChecked: flags.check,
    brought: Object.keys(along),
  });
  tellDoubts(doubts, terminal);
  return withValues(source, along);
}
