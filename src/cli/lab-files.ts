// Files that the lab writes where it is told to.

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CommandFailure } from './command-failure.ts';

export async function writeOrFail(file: string, folder: string, text: string): Promise<void> {
  try {
    await writeFile(resolve(folder, file), text);
  } catch (error) {
    throw new CommandFailure('usage', `${file} cannot be written: ${(error as Error).message}`);
  }
}
