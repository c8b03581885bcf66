// `muster/bundle`: for the SDK, in Node. Bundles a module that was made of a function with the packages that
// it imports, as a program that is submitted as a file.

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { CommandFailure } from '../command-failure.ts';
import { bundleProgram } from './bundle.ts';

type BundledModule = { readonly source: string } | { readonly problems: readonly string[] };

/** Packages are looked for where the program lies that was started; modules of Node have stand-ins. */
export async function bundleModule(
  source: string,
  packages: readonly string[],
): Promise<BundledModule> {
  const [, program] = process.argv;
  const folder = program === undefined ? process.cwd() : dirname(program);
  const absent = packages.filter((name) => !isBuiltin(name) && !isInstalled(name, folder));
  if (absent.length > 0) return { problems: absent.map(absence) };
  // The bundler reads files, and finds packages from where they lie.
  const made = await mkdtemp(join(folder, '.muster-'));
  const place = `${basename(made)}/function.mjs`;
  try {
    await writeFile(join(made, 'function.mjs'), source);
    const { source: bundled } = await bundleProgram(place, folder, { hasMap: false });
    // The same function is the same program, whatever the folder was called.
    return { source: bundled.replaceAll(place, 'function') };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const { message, advice } = error;
    // What stands further in is what was found; the rest is about the command line.
    const found = advice.filter((line) => line.startsWith(' '));
    const problems = found.length === 0 ? [message] : found;
    return { problems: problems.map((line) => line.trim().replaceAll(place, 'the function')) };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

function isInstalled(specifier: string, folder: string): boolean {
  const [, name = ''] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
  if (existsSync(join(folder, 'node_modules', name))) return true;
  return dirname(folder) !== folder && isInstalled(specifier, dirname(folder));
}

function absence(specifier: string): string {
  return `cannot find "${specifier}"; is the package installed beside the program?`;
}
