// The package `muster-client`: the SDK as plain modules without dependencies, once as ES modules and once
// as CommonJS, each with its declarations. The parser of functions, which is loaded only when a function is
// sent, is a file of its own; what it is made of of other people's is named in THIRD-PARTY.md.

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';
import { carried, compile, copyDocuments, readManifest, ROOT, writeJson } from './checkout.ts';
import { schemaDeclarations } from './schema-declarations.ts';
import { packageOf, thirdParty } from './third-party.ts';

const OLDEST_NODE = '>=20';
/** What Node 20 and browsers of three years can read. */
const LANGUAGE = 'es2022';
const FORMATS = ['esm', 'cjs'] as const;

export async function makeMusterClient(folder: string): Promise<void> {
  const chunks = await Promise.all(FORMATS.map((format) => bundle(format, join(folder, format))));
  await declare(FORMATS.map((format) => join(folder, format)));
  // Declarations, too, are of the kind that the nearest manifest says.
  writeJson(join(folder, 'cjs', 'package.json'), { type: 'commonjs' });
  copyDocuments(['LICENSE'], folder);
  cpSync(join(ROOT, 'scripts/packages/muster-client-readme.md'), join(folder, 'README.md'));
  writeFileSync(
    join(folder, 'THIRD-PARTY.md'),
    thirdParty(chunks.flat().flatMap(({ moduleIds }) => moduleIds.flatMap(packageOf))),
  );
  writeJson(join(folder, 'package.json'), manifest());
}

async function bundle(format: 'esm' | 'cjs', dir: string): Promise<readonly OutputChunk[]> {
  const bundler = await rolldown({
    input: join(ROOT, 'src/client/index.ts'),
    platform: 'browser',
    logLevel: 'warn',
    transform: { target: LANGUAGE },
  });
  try {
    const { output } = await bundler.write({
      dir,
      format,
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      comments: { legal: true, annotation: true, jsdoc: false },
    });
    return output.filter((each) => each.type === 'chunk');
  } finally {
    await bundler.close();
  }
}

/** Writes the declarations of the SDK's door and of what it names into each of the folders. */
async function declare(folders: readonly string[]): Promise<void> {
  const made = mkdtempSync(join(tmpdir(), 'muster-declarations-'));
  try {
    const project = join(ROOT, 'scripts/packages/tsconfig.muster-client.json');
    compile(['-p', project, '--outDir', made]);
    // What the door does not name.
    rmSync(join(made, 'client', 'packing'), { recursive: true, force: true });
    await declareSchemas(made);
    for (const file of declarationsIn(made)) nameCompiledModules(file);
    for (const folder of folders) cpSync(made, join(folder, 'types'), { recursive: true });
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** Puts plain declarations in the place of those that need zod. */
async function declareSchemas(made: string): Promise<void> {
  const schemas = join('protocol', 'schemas');
  rmSync(join(made, schemas), { recursive: true, force: true });
  mkdirSync(join(made, schemas));
  const used = new Map<string, Set<string>>();
  for (const file of declarationsIn(made)) {
    const imports = /import type \{([^}]*)\} from '[^']*\/schemas\/([\w-]+)\.ts'/g;
    for (const [, names = '', module = ''] of readFileSync(file, 'utf8').matchAll(imports)) {
      const known = used.get(module) ?? new Set();
      for (const name of names.split(',')) if (name.trim() !== '') known.add(name.trim());
      used.set(module, known);
    }
  }
  for (const [name, names] of used) {
    const source = pathToFileURL(join(ROOT, 'src', schemas, `${name}.ts`)).href;
    const module = (await import(source)) as Readonly<Record<string, unknown>>;
    writeFileSync(join(made, schemas, `${name}.d.ts`), schemaDeclarations(module, [...names]));
  }
}

function declarationsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
}

/** The compiler leaves the names of modules in declarations as they are; older ones do not read `.ts`. */
function nameCompiledModules(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/(['"]\.\.?\/[^'"]+)\.ts(['"])/g, '$1.js$2'));
}

function manifest(): object {
  const door = (format: string) => ({
    types: `./${format}/types/client/index.d.ts`,
    default: `./${format}/index.js`,
  });
  return {
    name: 'muster-client',
    description:
      'Runs functions on the devices of a Muster coordinator, from Node and from web pages',
    ...carried(readManifest()),
    type: 'module',
    main: door('cjs').default,
    types: door('cjs').types,
    exports: {
      '.': { import: door('esm'), require: door('cjs'), default: door('esm') },
      './package.json': './package.json',
    },
    sideEffects: false,
    files: [...FORMATS, 'THIRD-PARTY.md'],
    engines: { node: OLDEST_NODE },
    // Bundles functions that import packages.
    peerDependencies: { muster: readManifest().version },
    peerDependenciesMeta: { muster: { optional: true } },
  };
}
