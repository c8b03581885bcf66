// A module as it is compiled: with limits written into it that hold wherever it runs. The maximum of its memory becomes
// what a task may have, and tables, which take memory of the engine instead, get one as well. What grows beyond
// fails inside of the program, as on a machine that is full.
//
// For a program in steps, its mutable global variables are exported besides, so that a checkpoint has all of them.

import { BinaryReader, invalid } from './binary-reader.ts';
import { exportId, memoryId, type ModuleOutline, type Section, tableId } from './module-outline.ts';
import { toUtf8 } from './engine.ts';

export const pageBytes = 65_536;
/** A memory of 4 GiB, which 32 bits can tell. */
const pagesMost = 65_536;
/** Of all tables of a module together. */
const elementsMost = 1_000_000;
/** What can be read and written from outside of a program. */
const savedTypes: ReadonlySet<string> = new Set(['i32', 'i64', 'f32', 'f64']);

export interface BoundedModule {
  readonly bytes: Uint8Array;
  readonly outline: ModuleOutline;
  /** What its memory may grow to; 0: it has none. */
  readonly pagesMost: number;
  readonly exportsMemory: boolean;
  /** Names under which its mutable global variables are exported, in the order of the module; see above. */
  readonly globals: readonly string[];
}

export interface ModuleBounds {
  /** Of the memory, in MB (1024 × 1024 bytes). */
  readonly memoryMb: number;
  readonly exportsGlobals: boolean;
}

export function boundModule(
  bytes: Uint8Array,
  outline: ModuleOutline,
  bounds: ModuleBounds,
): BoundedModule {
  const most = pagesOf(outline, bounds.memoryMb);
  const globals = bounds.exportsGlobals ? mutableGlobals(outline) : [];
  const written = new Map<number, Uint8Array>();
  if (outline.memory !== null && !outline.memory.isImported) {
    written.set(
      memoryId,
      sectionOf(memoryId, [1, 1, ...leb(outline.memory.minimum), ...leb(most)]),
    );
  }
  if (outline.tables.length > 0) written.set(tableId, sectionOf(tableId, tablesOf(outline)));
  const exported = outline.sections.find(({ id }) => id === exportId);
  if (globals.length > 0 && exported !== undefined) {
    written.set(exportId, withGlobals(bytes, exported, globals));
  }
  const parts = [bytes.subarray(0, 8)];
  for (const { id, begin, end } of outline.sections) {
    parts.push(written.get(id) ?? bytes.subarray(begin, end));
  }
  return {
    bytes: joined(parts),
    outline,
    pagesMost: most,
    exportsMemory: outline.exports.some(({ name, kind }) => name === 'memory' && kind === 'memory'),
    globals: globals.map(({ name }) => name),
  };
}

function pagesOf({ memory }: ModuleOutline, memoryMb: number): number {
  if (memory === null) return 0;
  const limit = Math.min(pagesMost, Math.floor((memoryMb * 1024 * 1024) / pageBytes));
  if (memory.minimum > limit) {
    const wantedMb = Math.ceil((memory.minimum * pageBytes) / 1024 / 1024);
    throw invalid(
      `the module wants ${wantedMb} MB of memory from the start, and may have ${memoryMb} MB`,
    );
  }
  return Math.min(limit, memory.maximum ?? limit);
}

function tablesOf({ tables }: ModuleOutline): number[] {
  const share = Math.floor(elementsMost / tables.length);
  const content = leb(tables.length);
  for (const { elementType, minimum, maximum } of tables) {
    if (minimum > share)
      throw invalid(`the module has tables of more than ${elementsMost} elements`);
    content.push(elementType, 1, ...leb(minimum), ...leb(Math.min(share, maximum ?? share)));
  }
  return content;
}

interface NamedGlobal {
  readonly name: string;
  readonly index: number;
}

function mutableGlobals({ globals, exports }: ModuleOutline): readonly NamedGlobal[] {
  const taken = new Set(exports.map(({ name }) => name));
  const named: NamedGlobal[] = [];
  for (const [index, { type, isMutable }] of globals.entries()) {
    if (!isMutable) continue;
    if (!savedTypes.has(type)) {
      throw invalid(
        `the module has a global variable of type ${type}, which no checkpoint can keep`,
      );
    }
    const name = `muster:global:${index}`;
    if (taken.has(name))
      throw invalid(`the module exports ${name}, a name that is kept for checkpoints`);
    named.push({ name, index });
  }
  return named;
}

function withGlobals(
  bytes: Uint8Array,
  section: Section,
  globals: readonly NamedGlobal[],
): Uint8Array {
  const reader = new BinaryReader(bytes, section.contentBegin, section.end);
  const count = reader.u32();
  const added = globals.flatMap(({ name, index }) => {
    const text = toUtf8(name);
    return [...leb(text.length), ...text, 3, ...leb(index)];
  });
  const old = bytes.subarray(reader.at, section.end);
  return sectionOf(exportId, leb(count + globals.length), old, added);
}

function sectionOf(id: number, ...parts: readonly ArrayLike<number>[]): Uint8Array {
  const content = joined(parts);
  return joined([[id, ...leb(content.length)], content]);
}

/** An unsigned number in LEB128. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

function joined(parts: readonly ArrayLike<number>[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
