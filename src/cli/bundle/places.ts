// Finds where a part of the bundle came from: `file:line:column` in the client's own source.

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { resolve } from 'node:path';
import { walk } from 'estree-walker';
import { parseAst } from 'rolldown/parseAst';
import { shownPath } from '../output-file.ts';

export interface Place {
  readonly file: string;
  /** `file:line:column` */
  readonly text: string;
}

export type PlaceOf = (offset: number) => Place | undefined;

/** The sources of the map, and the texts that are returned, are relative to `folder`. */
export function placesIn(bundle: string, map: SourceMapPayload, folder: string): PlaceOf {
  const sourceMap = new SourceMap(map);
  const lineStarts = [0, ...Array.from(bundle.matchAll(/\n/g), ({ index }) => index + 1)];
  return (offset) => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    const entry = sourceMap.findEntry(line, offset - lineStarts[line]!);
    if (!('originalSource' in entry) || entry.originalSource === undefined) return undefined;
    const file = resolve(folder, entry.originalSource);
    const text = `${shownPath(file, folder)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    return { file, text };
  };
}

/** Where a file imports a module; only the file when the import cannot be found. */
export function importPlace(file: string, specifier: string, folder: string): string {
  const name = shownPath(file, folder);
  try {
    const source = readFileSync(file, 'utf8');
    const offset = importOffset(source, file, specifier);
    if (offset === undefined) return name;
    const before = source.slice(0, offset).split('\n');
    return `${name}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  } catch {
    return name; // The file has changed since it was bundled: the message goes without a line.
  }
}

function importOffset(source: string, file: string, specifier: string): number | undefined {
  const program = parseAst(source, {
    lang: file.endsWith('ts') ? 'ts' : 'js',
    sourceType: 'unambiguous',
  });
  let offset: number | undefined;
  walk(program as never, {
    enter(node) {
      const { value, start } = node as unknown as { value?: unknown; start: number };
      if (node.type === 'Literal' && value === specifier) offset ??= start;
    },
  });
  return offset;
}
