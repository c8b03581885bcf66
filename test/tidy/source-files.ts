// The files of the repository as the house rules see them: path, text, syntax tree and comments.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { walk } from 'estree-walker';
import { parseSync } from 'rolldown/utils';

const ROOT = join(import.meta.dirname, '..', '..');
const PARSED = /\.(ts|tsx|mjs|js)$/;
const NOT_OURS = new Set(['node_modules', 'dist']);

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** A syntax node, as loose as the parser gives it; the rules look at a few fields only. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export interface Import {
  readonly specifier: string;
  /** `import type`: gone at run time. An inline `{ type A }` still loads the module. */
  readonly isTypeOnly: boolean;
}

/** Every file below the folders (or the file itself) that the house has written. */
export function readSources(...places: readonly string[]): SourceFile[] {
  return places.flatMap(listFiles).map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }));
}

function listFiles(place: string): string[] {
  const entries = listFolder(place);
  if (entries === undefined) return [];
  if (entries === 'file') return [place];
  return entries
    .filter((name) => !name.startsWith('.') && !NOT_OURS.has(name))
    .flatMap((name) => listFiles(`${place}/${name}`));
}

function listFolder(place: string): string[] | 'file' | undefined {
  try {
    return readdirSync(join(ROOT, place)).toSorted();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'file' : undefined;
  }
}

export function isCode(file: SourceFile): boolean {
  return PARSED.test(file.path);
}

/** Tests, shared cases, and the folders with what only they use. */
export function isTest({ path }: Pick<SourceFile, 'path'>): boolean {
  return /\.(test|cases)\.ts$|\/(testing|conformance)\//.test(path) || path.startsWith('test/');
}

export function commentsOf(file: SourceFile): string[] {
  return parse(file).comments.map((comment) => comment.value);
}

export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = [];
  visit(file, (node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return;
    const isTypeOnly =
      node['importKind'] === 'type' ||
      node['exportKind'] === 'type' ||
      node.type === 'TSImportType';
    found.push({ specifier, isTypeOnly });
  });
  return found;
}

const IMPORTING = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

function specifierOf(node: SyntaxNode): string | undefined {
  if (!IMPORTING.has(node.type)) return undefined;
  const source = node['source'] as { readonly value?: unknown } | null | undefined;
  return typeof source?.value === 'string' ? source.value : undefined;
}

/** Calls `enter` for every node; `parent` is absent at the top. */
export function visit(
  file: SourceFile,
  enter: (node: SyntaxNode, parent: SyntaxNode | undefined) => void,
): void {
  const program = parse(file).program as unknown as Parameters<typeof walk>[0];
  walk(program, {
    enter: (node, parent) =>
      enter(node as unknown as SyntaxNode, (parent ?? undefined) as SyntaxNode | undefined),
  });
}

const parsed = new WeakMap<SourceFile, ReturnType<typeof parseSync>>();

function parse(file: SourceFile): ReturnType<typeof parseSync> {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const result = parseSync(file.path, file.text);
  if (result.errors.length > 0) throw new Error(`${file.path}: ${result.errors[0]?.message}`);
  parsed.set(file, result);
  return result;
}

export function lineOf(file: SourceFile, position: number): number {
  return file.text.slice(0, position).split('\n').length;
}
