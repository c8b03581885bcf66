// Files that the lab writes where it is told to.

import { outputTarget, writeText } from './output-file.ts';

/** Throws `CommandFailure` where a file cannot be written: before hours are played for it. */
export async function checkFiles(files: readonly string[], folder: string): Promise<void> {
  for (const file of files) await outputTarget(file, folder);
}

/** The file is there when all of it is written. Throws `CommandFailure`. */
export async function writeFileOf(
  file: string,
  folder: string,
  pieces: Iterable<string>,
): Promise<void> {
  await writeText(file, folder, inTurn(pieces));
}

async function* inTurn(pieces: Iterable<string>): AsyncGenerator<string, void, void> {
  yield* pieces;
}
