// Excerpts: blocks of a document that quote a file of this repository, ` ```ts from src/core/execute.ts `.
// Each must be in that file as it stands now: whole lines one after the other, all moved to the left by
// the same number of blanks. A line that is only `…` leaves lines out.

import { isExcerpt } from '../support/document.ts';
import type { SourceFile } from './source-files.ts';

const leftOut = '…';

/** `findText`: the text of a file of the repository, undefined when it is not there. */
export function excerptFaults(
  file: SourceFile,
  findText: (path: string) => string | undefined,
): string[] {
  return excerptsOf(file.text).flatMap(({ line, path, lines }) => {
    const place = `${file.path}:${line}`;
    const text = findText(path);
    if (text === undefined) return [`${place}: quotes ${path}, which does not exist`];
    const lost = firstLost(lines, text.split('\n'));
    return lost === undefined ? [] : [`${place}: ${path} does not say (any more): ${lost}`];
  });
}

interface Excerpt {
  /** Of the document, from 1. */
  readonly line: number;
  readonly path: string;
  readonly lines: readonly string[];
}

function excerptsOf(text: string): Excerpt[] {
  const lines = text.split('\n');
  const starts = [...lines.keys()].filter((at) => isExcerpt(lines[at]!));
  return starts.map((at) => ({
    line: at + 1,
    path: lines[at]!.split(' from ')[1]!,
    lines: lines.slice(at + 1, lines.indexOf('```', at + 1)),
  }));
}

/** The first line of the excerpt that is not found where it should be; undefined when all are. */
function firstLost(excerpt: readonly string[], source: readonly string[]): string | undefined {
  if (excerpt.every((line) => line === '' || line === leftOut)) return 'nothing is quoted';
  const first = excerpt.find((line) => line !== '' && line !== leftOut)!;
  const indents = new Set(source.filter((line) => line.endsWith(first)).map(indentOf));
  let furthest = -1;
  for (const indent of indents) {
    const matched = linesFound(excerpt, source, indent - indentOf(first));
    if (matched === excerpt.length) return undefined;
    furthest = Math.max(furthest, matched);
  }
  return excerpt[furthest] ?? first;
}

/** How many lines of the excerpt are in the source in this order, moved by so many blanks. */
function linesFound(excerpt: readonly string[], source: readonly string[], moved: number): number {
  if (moved < 0) return 0;
  const blanks = ' '.repeat(moved);
  let from = 0;
  let done = 0;
  for (const part of partsOf(excerpt)) {
    const wanted = part.map((line) => (line === '' ? '' : blanks + line));
    const { start, length } = longestMatch(wanted, source, from);
    if (length < wanted.length) return done + length;
    from = start + length;
    done += length + 1; // and the mark for what is left out
  }
  return done - 1;
}

function partsOf(excerpt: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const line of excerpt) {
    if (line === leftOut) parts.push([]);
    else parts.at(-1)!.push(line);
  }
  return parts;
}

/** The earliest place from `from` on where the most of the wanted lines follow one another. */
function longestMatch(wanted: readonly string[], source: readonly string[], from: number) {
  let best = { start: from, length: 0 };
  for (let start = from; start < source.length; start++) {
    let length = 0;
    while (length < wanted.length && source[start + length] === wanted[length]) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
