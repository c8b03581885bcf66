// What a module says of itself before any of its code: what it imports and exports, with the types of functions, its
// memory, tables and global variables. Code and data are passed over: the engine checks them. What this reader does not
// know is refused, never passed on: the limits that are written into a module must mean to the engine what they mean
// here (https://webassembly.github.io/spec/core/binary/modules.html).

import { BinaryReader, invalid } from './binary-reader.ts';

export interface ModuleOutline {
  readonly sections: readonly Section[];
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
  readonly memory: MemoryOutline | null;
  /** Its own; none may be imported. */
  readonly tables: readonly TableOutline[];
  /** Its own; none may be imported. */
  readonly globals: readonly GlobalOutline[];
}

export interface Section {
  readonly id: number;
  /** Of the section with its head, and of what follows on the head. */
  readonly begin: number;
  readonly contentBegin: number;
  readonly end: number;
}

export interface Limits {
  readonly minimum: number;
  /** Null: none was declared. */
  readonly maximum: number | null;
}

interface MemoryOutline extends Limits {
  readonly isImported: boolean;
}

interface TableOutline extends Limits {
  readonly elementType: number;
}

export interface GlobalOutline {
  readonly type: string;
  readonly isMutable: boolean;
}

export type ExternKind = 'function' | 'table' | 'memory' | 'global' | 'tag';

export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly kind: ExternKind;
  /** Of a function, as in `(i32, i32) -> i64`. */
  readonly signature: string | null;
}

export interface ModuleExport {
  readonly name: string;
  readonly kind: ExternKind;
  readonly signature: string | null;
}

const kinds: readonly ExternKind[] = ['function', 'table', 'memory', 'global', 'tag'];

const valueTypes: Readonly<Record<number, string>> = {
  0x7f: 'i32',
  0x7e: 'i64',
  0x7d: 'f32',
  0x7c: 'f64',
  0x7b: 'v128',
  0x70: 'funcref',
  0x6f: 'externref',
};

const [typeId, importId, functionId, tableId, memoryId, globalId, exportId] = [1, 2, 3, 4, 5, 6, 7];
export { exportId, memoryId, tableId };

/** Opcodes that may begin the value of a global variable. */
const [opEnd, opGlobalGet, opI32, opI64, opF32, opF64, opRefNull, opRefFunc, opVector] = [
  0x0b, 0x23, 0x41, 0x42, 0x43, 0x44, 0xd0, 0xd2, 0xfd,
];
/** Whole numbers may be added, subtracted and multiplied there. */
const arithmetic = new Set([0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e]);

export function outlineOf(bytes: Uint8Array): ModuleOutline {
  const reader = new BinaryReader(bytes);
  checkPreamble(reader);
  const outliner = new Outliner(bytes);
  const sections: Section[] = [];
  const seen = new Set<number>();
  while (!reader.isAtEnd) {
    const begin = reader.at;
    const id = reader.byte();
    const length = reader.u32();
    const contentBegin = reader.at;
    reader.skip(length);
    if (id !== 0 && seen.has(id)) throw reader.fault(`a second section ${id}`);
    seen.add(id);
    const section = { id, begin, contentBegin, end: reader.at };
    sections.push(section);
    outliner.take(section);
  }
  return { sections, ...outliner.outline() };
}

function checkPreamble(reader: BinaryReader): void {
  const { bytes } = reader;
  const [a, b, c, d, version, ...rest] = bytes.subarray(0, 8);
  if (a !== 0 || b !== 0x61 || c !== 0x73 || d !== 0x6d || rest.length !== 3) {
    throw invalid('the module is no WebAssembly: it does not begin with its magic bytes');
  }
  if (rest[1] !== 0) {
    throw invalid('the module is a component: what can be run here is a core module');
  }
  if (version !== 1 || rest[0] !== 0 || rest[2] !== 0) {
    throw invalid('the module has a version of the format that is not known here');
  }
  reader.skip(8);
}

/** Takes the sections in their order. */
class Outliner {
  readonly #bytes: Uint8Array;
  readonly #types: string[] = [];
  /** Signatures of all functions, those that are imported first. */
  readonly #functions: string[] = [];
  readonly #imports: ModuleImport[] = [];
  readonly #exports: ModuleExport[] = [];
  readonly #tables: TableOutline[] = [];
  readonly #globals: GlobalOutline[] = [];
  #memory: MemoryOutline | null = null;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take({ id, contentBegin, end }: Section): void {
    const read = this.#readerOf(id);
    if (read === null) return;
    const reader = new BinaryReader(this.#bytes, contentBegin, end);
    const count = reader.count();
    for (let i = 0; i < count; i++) read(reader);
    if (!reader.isAtEnd) throw reader.fault(`section ${id} has more than it says`);
  }

  outline(): Omit<ModuleOutline, 'sections'> {
    return {
      imports: this.#imports,
      exports: this.#exports,
      memory: this.#memory,
      tables: this.#tables,
      globals: this.#globals,
    };
  }

  #readerOf(id: number): ((reader: BinaryReader) => void) | null {
    switch (id) {
      case typeId:
        return (reader) => this.#types.push(signatureOf(reader));
      case importId:
        return (reader) => this.#import(reader);
      case functionId:
        return (reader) => this.#functions.push(this.#signature(reader));
      case tableId:
        return (reader) => this.#tables.push(tableOf(reader));
      case memoryId:
        return (reader) => this.#addMemory(memoryOf(reader), false);
      case globalId:
        return (reader) => this.#globals.push(globalOf(reader));
      case exportId:
        return (reader) => this.#export(reader);
      default:
        return null;
    }
  }

  #import(reader: BinaryReader): void {
    const module = reader.name();
    const name = reader.name();
    const kind = kindOf(reader);
    let signature: string | null = null;
    if (kind === 'function') {
      signature = this.#signature(reader);
      this.#functions.push(signature);
    } else if (kind === 'memory') {
      this.#addMemory(memoryOf(reader), true);
    } else {
      throw invalid(
        `the module imports a ${kind}, ${module}.${name}: only functions and a memory are offered`,
      );
    }
    this.#imports.push({ module, name, kind, signature });
  }

  #export(reader: BinaryReader): void {
    const name = reader.name();
    const kind = kindOf(reader);
    const index = reader.u32();
    const signature = kind === 'function' ? (this.#functions[index] ?? null) : null;
    this.#exports.push({ name, kind, signature });
  }

  #addMemory(limits: Limits, isImported: boolean): void {
    if (this.#memory !== null) throw invalid('the module has more than one memory');
    this.#memory = { ...limits, isImported };
  }

  #signature(reader: BinaryReader): string {
    const signature = this.#types[reader.u32()];
    if (signature === undefined) throw reader.fault('a function has a type that is not there');
    return signature;
  }
}

function kindOf(reader: BinaryReader): ExternKind {
  const kind = kinds[reader.byte()];
  if (kind === undefined) throw reader.fault('an import or export of an unknown kind');
  return kind;
}

function signatureOf(reader: BinaryReader): string {
  if (reader.byte() !== 0x60) {
    throw invalid(
      'the module has types of its own (garbage collection), which are not offered: no limit holds for them',
    );
  }
  const parameters = valueTypesOf(reader);
  const results = valueTypesOf(reader);
  const result = results.length === 1 ? results[0] : `(${results.join(', ')})`;
  return `(${parameters.join(', ')}) -> ${result}`;
}

function valueTypesOf(reader: BinaryReader): readonly string[] {
  const types: string[] = [];
  const count = reader.count();
  for (let i = 0; i < count; i++) types.push(valueTypeOf(reader));
  return types;
}

function valueTypeOf(reader: BinaryReader): string {
  const code = reader.byte();
  const type = valueTypes[code];
  if (type !== undefined) return type;
  throw invalid(`the module has values of a type that is not known here (0x${code.toString(16)})`);
}

function memoryOf(reader: BinaryReader): Limits {
  const flags = reader.byte();
  if ((flags & 2) !== 0) throw invalid('the module has a shared memory: threads are not offered');
  if ((flags & 4) !== 0) throw invalid('the module has a memory of 64 bits, which is not offered');
  return limitsOf(reader, flags);
}

function tableOf(reader: BinaryReader): TableOutline {
  const elementType = reader.byte();
  if (elementType !== 0x70 && elementType !== 0x6f) {
    throw invalid('the module has a table of a kind that is not known here');
  }
  return { elementType, ...limitsOf(reader, reader.byte()) };
}

function limitsOf(reader: BinaryReader, flags: number): Limits {
  if (flags > 1) throw invalid(`the module has limits of a kind that is not known here (${flags})`);
  const minimum = reader.u32();
  return { minimum, maximum: flags === 1 ? reader.u32() : null };
}

function globalOf(reader: BinaryReader): GlobalOutline {
  const type = valueTypeOf(reader);
  const isMutable = reader.byte() === 1;
  skipInitialValue(reader);
  return { type, isMutable };
}

function skipInitialValue(reader: BinaryReader): void {
  for (;;) {
    const code = reader.byte();
    if (code === opEnd) return;
    if (code === opI32 || code === opI64) reader.skipNumber();
    else if (code === opF32) reader.skip(4);
    else if (code === opF64) reader.skip(8);
    else if (code === opGlobalGet || code === opRefFunc) reader.u32();
    else if (code === opRefNull) reader.byte();
    else if (code === opVector && reader.u32() === 12) reader.skip(16);
    else if (!arithmetic.has(code)) {
      throw reader.fault('a global variable begins with a value that is not known here');
    }
  }
}
