// The places of a stack in the person's own files. A program that was bundled carries a source map in its
// last line: names of files and places only, none of their text. Works in browsers too.

import { mapLinkStart } from '../protocol/program.ts';

interface SourceMapJson {
  readonly sources: readonly unknown[];
  readonly mappings: string;
}

/** Where the text from a column on comes from. All count from 0. */
interface Segment {
  readonly column: number;
  readonly source: number;
  readonly line: number;
  readonly originalColumn: number;
}

type SegmentsOfLines = readonly (readonly Segment[])[];

/** A map that cannot be read is as good as none. */
export function programMap(program: string): ProgramMap {
  const at = program.lastIndexOf(`\n${mapLinkStart}`);
  if (at < 0) return new ProgramMap([], []);
  try {
    const bytes = Uint8Array.from(
      atob(program.slice(at + 1 + mapLinkStart.length).trim()),
      (each) => each.charCodeAt(0),
    );
    const json = JSON.parse(new TextDecoder().decode(bytes)) as Partial<SourceMapJson>;
    return new ProgramMap((json.sources ?? []).map(nameOf), readMappings(json.mappings ?? ''));
  } catch {
    return new ProgramMap([], []);
  }
}

const NAME_MOST = 500;

/** Whoever submits a program writes its map: a name in it makes no further line, and need not even be a text. */
function nameOf(source: unknown): string | null {
  return typeof source === 'string' ? source.replaceAll(/\s+/g, ' ').slice(0, NAME_MOST) : null;
}

/** `program:3:14` */
const placePattern = /\bprogram:(\d+):(\d+)(?=\)?$)/gm;

export class ProgramMap {
  readonly #sources: readonly (string | null)[];
  readonly #lines: SegmentsOfLines;

  constructor(sources: readonly (string | null)[], lines: SegmentsOfLines) {
    this.#sources = sources;
    this.#lines = lines;
  }

  /** The stack with `file:line:column` where that is known, and `program:line:column` elsewhere. */
  mapped(stack: string): string {
    return stack.replaceAll(placePattern, (place, line: string, column: string) => {
      const found = this.#find(Number(line) - 1, Number(column) - 1);
      const file = found === undefined ? null : (this.#sources[found.source] ?? null);
      if (found === undefined || file === null || !isPlace(found)) return place;
      return `${file}:${found.line + 1}:${found.originalColumn + 1}`;
    });
  }

  #find(line: number, column: number): Segment | undefined {
    return this.#lines[line]?.findLast((segment) => segment.column <= column);
  }
}

function isPlace({ line, originalColumn }: Segment): boolean {
  return [line, originalColumn].every((number) => Number.isSafeInteger(number) && number >= 0);
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Every number is the difference to the one before: columns within their line, all others in the text. */
function readMappings(mappings: string): SegmentsOfLines {
  let source = 0;
  let line = 0;
  let originalColumn = 0;
  return mappings.split(';').map((text) => {
    let column = 0;
    const segments: Segment[] = [];
    for (const piece of text === '' ? [] : text.split(',')) {
      const [columns = 0, sources, lines = 0, originalColumns = 0] = readNumbers(piece);
      column += columns;
      if (sources === undefined) continue;
      source += sources;
      line += lines;
      originalColumn += originalColumns;
      segments.push({ column, source, line, originalColumn });
    }
    return segments;
  });
}

/** Base 64, five bits a digit, the lowest first; the sixth says that more follow, the first of all the sign. */
function readNumbers(piece: string): readonly number[] {
  const numbers: number[] = [];
  let value = 0;
  let scale = 1;
  for (const digit of piece) {
    const bits = digits.indexOf(digit);
    value += (bits % 32) * scale;
    scale *= 32;
    if (bits >= 32) continue;
    numbers.push(value % 2 === 0 ? value / 2 : -(value - 1) / 2);
    value = 0;
    scale = 1;
  }
  return numbers;
}
