// Makes the files of the pages from their sources: bundles, documents and what is copied as it is. Only in a
// checkout and when a package is made; what is published has them made already.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import {
  type CodeSplittingGroup,
  type OutputOptions,
  type Plugin,
  rolldown,
  type RolldownBuild,
} from 'rolldown';
import { type PageFile, versionMark } from './page-files.ts';

/** The library that defines `lockdown` and `Compartment`, as a single file: the same as that of other workers. */
const sesPath = createRequire(import.meta.url).resolve('ses');

export interface PageOrigin {
  /** The folder with the rooms of the sources. */
  readonly sources: string;
  /** Of the program, for lists of workers. */
  readonly version: string;
}

export interface MadePages {
  readonly contents: ReadonlyMap<string, Buffer>;
  /** SHA-256 of the script in the frame, in base64. */
  readonly frameScript: string;
  /** The same of the styles that documents have in them, by the name of the file. */
  readonly styles: Readonly<Record<string, readonly string[]>>;
  /** Names of the parts of the dashboard's script beside its entry. */
  readonly parts: readonly string[];
  /** Packages that have something in it. */
  readonly packages: readonly string[];
}

export async function makePages(
  files: readonly PageFile[],
  origin: PageOrigin,
): Promise<MadePages> {
  const contents = new Map<string, Buffer>();
  const styles: Record<string, readonly string[]> = {};
  const parts: string[] = [];
  const modules: string[] = [sesPath];
  let frameScript = '';
  for (const { name, type, from } of files) {
    if ('packaged' in from) {
      const path = inPackage(from.packaged, origin.sources);
      contents.set(name, readFileSync(path));
      modules.push(path);
    } else if ('copy' in from) {
      const content = readFileSync(join(origin.sources, from.copy));
      const document = type.startsWith('text/html') ? documentOf(content, origin) : null;
      contents.set(name, document === null ? content : Buffer.from(document));
      if (document !== null) styles[name] = stylesIn(document);
    } else if ('styles' in from) {
      contents.set(name, Buffer.from(stylesOf(join(origin.sources, from.styles))));
    } else if ('app' in from) {
      const made = await bundleApp(join(origin.sources, from.app));
      contents.set(name, Buffer.from(made.entry));
      for (const [part, code] of made.parts) contents.set(part, Buffer.from(code));
      parts.push(...made.parts.keys());
      modules.push(...made.modules);
    } else {
      const { text, modules: bundled } = await textOf(from, origin);
      modules.push(...bundled);
      const script = 'frame' in from ? forDocument(text) : null;
      if (script !== null) frameScript = hashOf(script);
      contents.set(name, Buffer.from(script === null ? text : frameDocument(script)));
    }
  }
  const packages = [...new Set(modules.flatMap(packageOf))].toSorted();
  return { contents, frameScript, styles, parts, packages };
}

function packageOf(module: string): string[] {
  const [, name] = /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(module) ?? [];
  return name === undefined ? [] : [name.replaceAll('\\', '/')];
}

/** As a policy names it. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** In the nearest `node_modules` that has it. */
function inPackage(path: string, sources: string): string {
  for (let folder = sources; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', path);
    if (existsSync(found) || folder === dirname(folder)) return found;
  }
}

function documentOf(content: Buffer, { version }: PageOrigin): string {
  const told = versionMark.replace('unknown', version);
  return content.toString('utf8').replaceAll(versionMark, told);
}

function stylesIn(document: string): readonly string[] {
  return [...document.matchAll(/<style>([^]*?)<\/style>/g)].map(([, style = '']) => hashOf(style));
}

/** Folders of styles in the order in which they stand: what comes later may say more of the same. */
const styleFolders = ['look', 'parts', 'shell', 'pages'];

function stylesOf(folder: string): string {
  const files = styleFolders.flatMap((each) =>
    readdirSync(join(folder, each), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.css'))
      .toSorted()
      .map((path) => join(folder, each, path)),
  );
  return files
    .map((path) => readFileSync(path, 'utf8').replaceAll(/\/\*[^]*?\*\//g, ''))
    .join('')
    .replaceAll(/\s+/g, ' ');
}

type Bundled = Extract<
  PageFile['from'],
  { readonly module: string } | { readonly script: string } | { thread: string } | { frame: string }
>;

interface BundledText {
  readonly text: string;
  /** Paths of what is in it. */
  readonly modules: readonly string[];
}

function textOf(from: Bundled, { sources }: PageOrigin): Promise<BundledText> {
  if ('module' in from) return bundle(join(sources, from.module), { format: 'es' });
  if ('thread' in from) return bundleThread(join(sources, from.thread));
  return bundle(join(sources, 'script' in from ? from.script : from.frame), { format: 'iife' });
}

/**
 * The library does not run in strict code, the thread runs in nothing else. It is not minified: programs see the
 * names of functions and classes in it, whose texts it hands to them.
 */
async function bundleThread(entry: string): Promise<BundledText> {
  const { text: code, modules } = await bundle(entry, { format: 'iife', minify: false }, [
    libraryWithin,
  ]);
  const library = readFileSync(sesPath, 'utf8');
  const text = `((loadLibrary) => {'use strict';\n${code}\n})(() => {${library}\n});\n`;
  return { text, modules };
}

interface MadeApp {
  readonly entry: string;
  /** Code by the name of the file. */
  readonly parts: ReadonlyMap<string, string>;
  readonly modules: readonly string[];
}

async function bundleApp(input: string): Promise<MadeApp> {
  const bundler = await openBundler(input, [noPins]);
  try {
    const { output } = await bundler.generate({
      format: 'es',
      minify: true,
      comments: false,
      entryFileNames: 'app.js',
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: { includeDependenciesRecursively: false, groups: partsOfApp },
    });
    const chunks = output.filter((made) => made.type === 'chunk');
    const parts = chunks.filter(({ isEntry }) => !isEntry);
    return {
      entry: chunks.find(({ isEntry }) => isEntry)!.code.trimEnd(),
      parts: new Map(parts.map(({ fileName, code }) => [fileName, code.trimEnd()])),
      modules: chunks.flatMap(({ moduleIds }) => moduleIds),
    };
  } finally {
    await bundler.close();
  }
}

/**
 * Pages that lead to each other come together; what many pages share, or what is small, comes with the first: small
 * parts do not compress well, and each is a request.
 */
const partsOfApp: CodeSplittingGroup[] = [
  { name: 'jobs', test: /[/\\]pages[/\\](?:jobs?|task)[/\\]|[/\\]heat-/ },
  { name: 'workers', test: /[/\\]pages[/\\](?:workers?|connect)[/\\]|[/\\]row-keys/ },
  { name: 'looking-back', test: /[/\\]pages[/\\](?:evaluation|timeline|recovery)[/\\]/ },
  { name: 'shared', minShareCount: 3 },
  { name: 'small', minShareCount: 2, maxModuleSize: 1_600 },
];

function openBundler(input: string, plugins: readonly Plugin[] = []): Promise<RolldownBuild> {
  return rolldown({
    input,
    platform: 'browser',
    // Whatever is imported and not there would be looked for by the browser.
    external: [],
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    logLevel: 'silent',
    onLog: (_level, log) => {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    },
    plugins: [noNode, ...plugins],
  });
}

async function bundle(
  input: string,
  output: OutputOptions,
  plugins: readonly Plugin[] = [],
): Promise<BundledText> {
  const bundler = await openBundler(input, plugins);
  try {
    const { output: made } = await bundler.generate({
      minify: true,
      ...output,
      codeSplitting: false,
      comments: false,
    });
    return { text: made[0].code.trimEnd(), modules: made[0].moduleIds };
  } finally {
    await bundler.close();
  }
}

/** What is meant for Node only must not come along unseen. */
const noNode: Plugin = {
  name: 'muster:no-node',
  resolveId(specifier, importer) {
    if (!specifier.startsWith('node:')) return null;
    throw new Error(`${importer ?? 'a page'} imports ${specifier}, which no browser has`);
  },
};

/** Only what runs on Node can look at certificates; the client asks for this module there alone. */
const noPins: Plugin = {
  name: 'muster:no-pins',
  load(id) {
    return basename(id, extname(id)) === 'pinning' ? { code: 'export {};' } : null;
  },
};

/** Replaces a module named `library`: in the bundle the library is a parameter, not a file. */
const libraryWithin: Plugin = {
  name: 'muster:library',
  load(id) {
    if (basename(id, extname(id)) !== 'library') return null;
    return { code: 'const within = loadLibrary; export { within as loadLibrary };' };
  },
};

/** Inside of a document these would end or change the element; in scripts they stand in literals alone. */
function forDocument(script: string): string {
  return script.replaceAll('\r', '\\r').replaceAll(/<(?=\/script|!--)/gi, '\\x3c');
}

/** No language, no icon, no style: nobody sees it. */
function frameDocument(script: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Muster</title><script>${script}</script>\n`;
}
