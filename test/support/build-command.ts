// Puts the command line and the packages that it imports together into a few files: one for each part that it loads
// by itself, since what a light command does not load is a part of how it behaves.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import {
  builtCommands,
  filesIn,
  folderOfCommand,
  sourceFolder,
  sourceOfCommand,
} from './built-command.ts';

/** They look for files beside their own, or are heavy and seldom loaded. */
const external = [/^node:/, /^ses($|\/)/, /^rolldown($|\/)/, /^@fastify\/swagger-ui($|\/)/];
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Builds it once for a state of the sources. */
export async function buildCommand(): Promise<void> {
  const folder = folderOfCommand();
  if (existsSync(folder)) return;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'package.json'), '{"type":"module"}\n');
  const bundler = await rolldown({
    input: sourceOfCommand,
    platform: 'node',
    external,
    logLevel: 'silent',
    plugins: [inItsPlace],
  });
  await bundler.write({ dir: draft, format: 'esm', comments: false });
  await bundler.close();
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another run was faster.
    rmSync(draft, { recursive: true });
    if (!existsSync(filesIn(folder).main)) throw error;
  }
  removeOthers(folder);
}

/** Whatever a module finds beside itself, it finds as if it still lay in the sources. */
const inItsPlace: Plugin = {
  name: 'muster:in-its-place',
  transform(code, id) {
    if (!id.startsWith(sourceFolder) || !code.includes('import.meta.')) return null;
    const placed = code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.filename', JSON.stringify(id));
    return {
      code: id === join(sourceFolder, 'cli', 'entry-points.ts') ? startingItself(placed) : placed,
      map: null,
    };
  },
};

/** Workers of `muster serve --workers` are started as it was started. */
function startingItself(code: string): string {
  const before = 'export function mainFile(): string {';
  if (!code.includes(before)) throw new Error(`entry-points.ts has no more \`${before}\``);
  return code.replace(before, `${before}\n  return process.argv[1]!;`);
}

/** Of sources that were changed since. Another run of the tests may still use a younger one. */
function removeOthers(kept: string): void {
  for (const name of readdirSync(builtCommands)) {
    const folder = join(builtCommands, name);
    const isOld = Date.now() - statSync(folder).mtimeMs > DAY_MS;
    if (folder !== kept && isOld) rmSync(folder, { recursive: true, force: true });
  }
}
