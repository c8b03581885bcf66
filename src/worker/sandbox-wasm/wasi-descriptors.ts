// The functions of WASI preview 1 about what is open (`fd_…`).

import type { OpenFile } from './descriptors.ts';
import { errno, type Errno } from './errno.ts';
import type { Node } from './file-nodes.ts';
import { toUtf8 } from './engine.ts';
import { type HostTable, offered } from './host-calls.ts';
import type { Surroundings } from './surroundings.ts';
import {
  direntBytes,
  eachVector,
  fdstatBytes,
  filestatBytes,
  fileType,
  writeFilestat,
} from './wasi-memory.ts';

const appendFlag = 1;
/** `fd_read` and so on: nobody here asks for less than all rights, but by how it opens a file. */
const allRights = 0x1fff_ffffn;
const readRight = 2n;
const writeRight = 64n;
const seekRights = 4n | 32n;
/** What a file may be long: a whole number that a double holds. */
const positionMost = 2n ** 52n;

function fileOf(host: Surroundings, number: number): OpenFile | Errno {
  const descriptor = host.descriptors.find(number);
  if (descriptor === null) return errno.badDescriptor;
  if (descriptor.type === 'folder') return errno.isFolder;
  return descriptor.type === 'file' ? descriptor : errno.noSeek;
}

/** A place in a file; null: none that there can be. */
function placeOf(value: bigint): number | null {
  return value >= 0n && value <= positionMost ? Number(value) : null;
}

function readFrom(
  host: Surroundings,
  file: OpenFile,
  place: number,
  vectors: readonly [pointer: number, count: number],
  countPointer: number,
): { readonly code: Errno; readonly count: number } {
  const { memory } = host;
  if (!file.reads) return { code: errno.badDescriptor, count: 0 };
  if (!memory.has(countPointer, 4)) return { code: errno.fault, count: 0 };
  let count = 0;
  const code = eachVector(memory, ...vectors, (part) => {
    const read = file.node.read(place + count, part);
    count += read;
    return read === part.length;
  });
  if (code === errno.success) memory.view.setUint32(countPointer, count, true);
  return { code, count };
}

function writeTo(
  host: Surroundings,
  file: OpenFile,
  place: number,
  vectors: readonly [pointer: number, count: number],
  countPointer: number,
): { readonly code: Errno; readonly count: number } {
  const { memory } = host;
  if (!file.writes) return { code: errno.badDescriptor, count: 0 };
  if (!memory.has(countPointer, 4)) return { code: errno.fault, count: 0 };
  let count = 0;
  let fault: Errno = errno.success;
  const code = eachVector(memory, ...vectors, (part) => {
    fault = file.node.write(place + count, part);
    if (fault !== errno.success) return false;
    count += part.length;
    return true;
  });
  if (code !== errno.success) return { code, count };
  if (count === 0 && fault !== errno.success) return { code: fault, count };
  file.isChanged = true;
  memory.view.setUint32(countPointer, count, true);
  return { code, count };
}

export const descriptorFunctions: HostTable<Surroundings> = {
  fd_advise: offered('iIIi', ({ descriptors }: Surroundings, number: number) =>
    descriptors.find(number) === null ? errno.badDescriptor : errno.success,
  ),

  fd_allocate: offered('iII', (host: Surroundings, number: number, at: bigint, length: bigint) => {
    const file = fileOf(host, number);
    if (typeof file === 'number') return file;
    if (!file.writes) return errno.badDescriptor;
    const [begin, size] = [placeOf(at), placeOf(length)];
    if (begin === null || size === null) return errno.invalid;
    const end = begin + size;
    return end > file.node.size ? file.node.resize(end) : errno.success;
  }),

  fd_close: offered('i', ({ descriptors }: Surroundings, number: number) => {
    if (descriptors.find(number) === null) return errno.badDescriptor;
    descriptors.close(number);
    return errno.success;
  }),

  fd_datasync: offered('i', ({ descriptors }: Surroundings, number: number) =>
    descriptors.find(number) === null ? errno.badDescriptor : errno.success,
  ),

  fd_sync: offered('i', ({ descriptors }: Surroundings, number: number) =>
    descriptors.find(number) === null ? errno.badDescriptor : errno.success,
  ),

  fd_fdstat_get: offered(
    'ii',
    ({ descriptors, memory }: Surroundings, number: number, at: number) => {
      const descriptor = descriptors.find(number);
      if (descriptor === null) return errno.badDescriptor;
      if (!memory.has(at, fdstatBytes)) return errno.fault;
      const { view } = memory;
      memory.part(at, fdstatBytes).fill(0);
      view.setBigUint64(at + 16, allRights, true);
      if (descriptor.type === 'folder') {
        view.setUint8(at, fileType.folder);
        view.setBigUint64(at + 8, allRights, true);
      } else if (descriptor.type === 'file') {
        const base = allRights & ~readRight & ~writeRight;
        const rights =
          base | (descriptor.reads ? readRight : 0n) | (descriptor.writes ? writeRight : 0n);
        view.setUint8(at, fileType.file);
        view.setUint16(at + 2, descriptor.appends ? appendFlag : 0, true);
        view.setBigUint64(at + 8, rights, true);
      } else {
        view.setUint8(at, descriptor.isTerminal ? fileType.terminal : fileType.file);
        view.setBigUint64(at + 8, allRights & ~readRight & ~seekRights, true);
      }
      return errno.success;
    },
  ),

  fd_fdstat_set_flags: offered(
    'ii',
    ({ descriptors }: Surroundings, number: number, flags: number) => {
      const descriptor = descriptors.find(number);
      if (descriptor === null) return errno.badDescriptor;
      if (descriptor.type === 'file') descriptor.appends = (flags & appendFlag) !== 0;
      return errno.success;
    },
  ),

  fd_fdstat_set_rights: offered('iII', ({ descriptors }: Surroundings, number: number) =>
    descriptors.find(number) === null ? errno.badDescriptor : errno.success,
  ),

  fd_filestat_get: offered(
    'ii',
    ({ descriptors, memory }: Surroundings, number: number, at: number) => {
      const descriptor = descriptors.find(number);
      if (descriptor === null) return errno.badDescriptor;
      if (!memory.has(at, filestatBytes)) return errno.fault;
      if (descriptor.type !== 'stream') {
        writeFilestat(memory, at, descriptor.node, fileType[descriptor.type]);
      } else {
        writeFilestat(memory, at, null, descriptor.isTerminal ? fileType.terminal : fileType.file);
      }
      return errno.success;
    },
  ),

  fd_filestat_set_size: offered('iI', (host: Surroundings, number: number, size: bigint) => {
    const file = fileOf(host, number);
    if (typeof file === 'number') return file;
    if (!file.writes) return errno.badDescriptor;
    const place = placeOf(size);
    if (place === null) return errno.invalid;
    file.isChanged = true;
    return file.node.resize(place);
  }),

  fd_filestat_set_times: offered('iIIi', ({ descriptors }: Surroundings, number: number) =>
    descriptors.find(number) === null ? errno.badDescriptor : errno.success,
  ),

  fd_pread: offered(
    'iiiIi',
    (
      host: Surroundings,
      number: number,
      pointer: number,
      count: number,
      at: bigint,
      result: number,
    ) => {
      const file = fileOf(host, number);
      if (typeof file === 'number') return file;
      const place = placeOf(at);
      if (place === null) return errno.invalid;
      return readFrom(host, file, place, [pointer, count], result).code;
    },
  ),

  fd_prestat_get: offered(
    'ii',
    ({ descriptors, memory }: Surroundings, number: number, at: number) => {
      const descriptor = descriptors.find(number);
      if (descriptor?.type !== 'folder' || descriptor.preopenName === null)
        return errno.badDescriptor;
      if (!memory.has(at, 8)) return errno.fault;
      memory.view.setUint32(at, 0, true);
      memory.view.setUint32(at + 4, descriptor.preopenName.length, true);
      return errno.success;
    },
  ),

  fd_prestat_dir_name: offered(
    'iii',
    ({ descriptors, memory }: Surroundings, number: number, at: number, length: number) => {
      const descriptor = descriptors.find(number);
      if (descriptor?.type !== 'folder' || descriptor.preopenName === null)
        return errno.badDescriptor;
      const name = toUtf8(descriptor.preopenName);
      if (length < name.length) return errno.nameTooLong;
      if (!memory.has(at, name.length)) return errno.fault;
      memory.bytes.set(name, at);
      return errno.success;
    },
  ),

  fd_pwrite: offered(
    'iiiIi',
    (
      host: Surroundings,
      number: number,
      pointer: number,
      count: number,
      at: bigint,
      result: number,
    ) => {
      const file = fileOf(host, number);
      if (typeof file === 'number') return file;
      const place = placeOf(at);
      if (place === null) return errno.invalid;
      return writeTo(host, file, place, [pointer, count], result).code;
    },
  ),

  fd_read: offered(
    'iiii',
    (host: Surroundings, number: number, pointer: number, count: number, result: number) => {
      const file = fileOf(host, number);
      if (typeof file === 'number') return file === errno.noSeek ? errno.badDescriptor : file;
      const read = readFrom(host, file, file.position, [pointer, count], result);
      file.position += read.count;
      return read.code;
    },
  ),

  fd_readdir: offered(
    'iiiIi',
    (
      host: Surroundings,
      number: number,
      at: number,
      length: number,
      cookie: bigint,
      result: number,
    ) => {
      const { memory } = host;
      const descriptor = host.descriptors.find(number);
      if (descriptor === null) return errno.badDescriptor;
      if (descriptor.type !== 'folder') return errno.notFolder;
      if (!memory.has(at, length) || !memory.has(result, 4)) return errno.fault;
      const { node } = descriptor;
      if (cookie === 0n || descriptor.listing === null) {
        const entries = node.names().flatMap((name) => {
          const entry = node.find(name);
          return entry === undefined ? [] : [[name, entry] as const];
        });
        descriptor.listing = [['.', node], ['..', node.parent ?? node], ...entries];
      }
      const used = writeEntries(host, at, length, descriptor.listing, cookie);
      memory.view.setUint32(result, used, true);
      return errno.success;
    },
  ),

  fd_renumber: offered('ii', ({ descriptors }: Surroundings, from: number, to: number) => {
    if (descriptors.find(from) === null || descriptors.find(to) === null)
      return errno.badDescriptor;
    descriptors.renumber(from, to);
    return errno.success;
  }),

  fd_seek: offered(
    'iIii',
    (host: Surroundings, number: number, offset: bigint, whence: number, result: number) => {
      const file = fileOf(host, number);
      if (typeof file === 'number') return file;
      if (!host.memory.has(result, 8)) return errno.fault;
      const base = [0, file.position, file.node.size][whence];
      if (base === undefined) return errno.invalid;
      const place = placeOf(BigInt(base) + offset);
      if (place === null) return errno.invalid;
      file.position = place;
      host.memory.view.setBigUint64(result, BigInt(place), true);
      return errno.success;
    },
  ),

  fd_tell: offered('ii', (host: Surroundings, number: number, result: number) => {
    const file = fileOf(host, number);
    if (typeof file === 'number') return file;
    if (!host.memory.has(result, 8)) return errno.fault;
    host.memory.view.setBigUint64(result, BigInt(file.position), true);
    return errno.success;
  }),

  fd_write: offered(
    'iiii',
    (host: Surroundings, number: number, pointer: number, count: number, result: number) => {
      const { memory, descriptors } = host;
      const descriptor = descriptors.find(number);
      if (descriptor === null) return errno.badDescriptor;
      if (descriptor.type === 'folder') return errno.isFolder;
      if (descriptor.type === 'file') {
        const place = descriptor.appends ? descriptor.node.size : descriptor.position;
        const written = writeTo(host, descriptor, place, [pointer, count], result);
        if (written.code === errno.success) descriptor.position = place + written.count;
        return written.code;
      }
      if (!memory.has(result, 4)) return errno.fault;
      let written = 0;
      const code = eachVector(memory, pointer, count, (part) => {
        descriptor.write(part);
        written += part.length;
        return true;
      });
      if (code === errno.success) memory.view.setUint32(result, written, true);
      return code;
    },
  ),
};

/** Writes as many entries as fit, the last one perhaps in part: then the program asks with more room. */
function writeEntries(
  { memory }: Surroundings,
  at: number,
  length: number,
  listing: readonly (readonly [name: string, node: Node])[],
  cookie: bigint,
): number {
  let used = 0;
  const first = cookie < BigInt(listing.length) ? Number(cookie) : listing.length;
  for (let index = first; index < listing.length && used < length; index++) {
    const [name, node] = listing[index]!;
    const text = toUtf8(name);
    const entry = new Uint8Array(direntBytes + text.length);
    const view = new DataView(entry.buffer);
    view.setBigUint64(0, BigInt(index + 1), true);
    view.setBigUint64(8, BigInt(node.id), true);
    view.setUint32(16, text.length, true);
    view.setUint8(20, fileType[node.type]);
    entry.set(text, direntBytes);
    const part = entry.subarray(0, length - used);
    memory.bytes.set(part, at + used);
    used += part.length;
  }
  return used;
}
