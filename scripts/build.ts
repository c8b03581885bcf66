// `npm run build`: makes the package that is published, in dist/: JavaScript and declarations from tsc,
// other files of the sources (pages, styles), and a manifest without the Node binaries and the tools that
// only a checkout needs. `npm pack ./dist` makes its tarball.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENTS = ['README.md', 'LICENSE', 'CHANGELOG.md'];
const OLDEST_NODE = '>=24';

/** The parts of package.json that the published manifest is made of. */
interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const CARRIED = ['name', 'version', 'description', 'keywords', 'license', 'author', 'type'];

function main(): void {
  const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
  const out = resolve(values.out);
  rmSync(out, { recursive: true, force: true });
  compile(join(out, 'lib'));
  copyBesides(join(ROOT, 'src'), join(out, 'lib'));
  for (const name of DOCUMENTS) cpSync(join(ROOT, name), join(out, name));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`);
}

function compile(outDir: string): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = ['-p', 'tsconfig.build.json', '--outDir', outDir];
  const { status } = spawnSync(process.execPath, [tsc, ...args], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function copyBesides(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => !/\.tsx?$/.test(path) && !/[/\\](fixtures|testing)([/\\]|$)/.test(path),
  });
}

function published(manifest: Manifest): object {
  return {
    ...Object.fromEntries(CARRIED.map((field) => [field, manifest[field]])),
    bin: mapValues(manifest.bin, compiled),
    exports: mapValues(manifest.exports, (path) => ({
      ...(path.endsWith('.ts') && { types: compiled(path).replace(/\.js$/, '.d.ts') }),
      default: compiled(path),
    })),
    files: ['lib', 'CHANGELOG.md'],
    engines: { node: OLDEST_NODE },
    dependencies: manifest.dependencies,
  };
}

function compiled(path: string): string {
  return path.replace(/^\.\/src\//, './lib/').replace(/\.ts$/, '.js');
}

function mapValues<T>(
  record: Readonly<Record<string, string>>,
  change: (value: string) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

main();
