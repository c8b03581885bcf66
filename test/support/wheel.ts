// Makes wheels for tests: zip files, and a compiled module as small as one can be.

import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** Mode of Unix; a regular file without it. */
  readonly mode?: number;
}

const utf8 = 0x0800;
const deflated = 8;

/** A zip file of these entries, in their order, with the paths just as they are. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content = '', mode = 0o100644 } of entries) {
    const name = Buffer.from(path);
    const data = Buffer.from(content as string);
    const packed = deflateRawSync(data);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(utf8, 2);
    shared.writeUInt16LE(deflated, 4);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const attributes = Buffer.alloc(14);
    attributes.writeUInt16LE(mode, 8);
    attributes.writeUInt32LE(offset, 10);
    const madeOnUnix = Buffer.from([20, 3]);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, packed]);
    directory.push(Buffer.from('PK\x01\x02'), madeOnUnix, shared, attributes, name);
    locals.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, list, Buffer.from('PK\x05\x06'), end]);
}

const head = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const [i32, external] = [0x7f, { memory: 2, function: 0, global: 3 }];

/**
 * A shared library for the interpreter, which is a module of C under the name `name`: what it gives is the module
 * `math`. As text of WebAssembly:
 *
 *   (import "env" "memory" (memory 0)) (import "env" "__memory_base" (global i32))
 *   (import "env" "PyImport_ImportModule" (func (param i32) (result i32)))
 *   (func (export "PyInit_NAME") (result i32) (call 0 (global.get 0)))
 *   (data (global.get 0) "math\00")
 */
export function compiledModule(name: string): Uint8Array {
  const memory = [...text('env'), ...text('memory'), external.memory, 0, 0];
  const base = [...text('env'), ...text('__memory_base'), external.global, i32, 0];
  const called = [...text('env'), ...text('PyImport_ImportModule'), external.function, 0];
  const body = [0, 0x23, 0, 0x10, 0, 0x0b];
  // Needs 5 bytes of memory, aligned to 1, and no place in the table.
  const needs = [1, 4, 5, 0, 0, 0];
  return Uint8Array.from([
    ...head,
    ...section(0, [...text('dylink.0'), ...needs]),
    ...section(1, [2, 0x60, 1, i32, 1, i32, 0x60, 0, 1, i32]),
    ...section(2, [3, ...memory, ...base, ...called]),
    ...section(3, [1, 1]),
    ...section(7, [1, ...text(`PyInit_${name}`), external.function, 1]),
    ...section(10, [1, body.length, ...body]),
    ...section(11, [1, 0, 0x23, 0, 0x0b, 5, ...Buffer.from('math\0')]),
  ]);
}

function text(value: string): number[] {
  return [value.length, ...Buffer.from(value)];
}

/** All are short. */
function section(id: number, content: readonly number[]): number[] {
  return [id, content.length, ...content];
}
