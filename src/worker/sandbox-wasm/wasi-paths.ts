// The functions of WASI preview 1 about paths (`path_…`). There are no links.

import type { FolderNode } from './file-nodes.ts';
import { errno, type Errno } from './errno.ts';
import { type HostTable, offered } from './host-calls.ts';
import type { Surroundings } from './surroundings.ts';
import { filestatBytes, fileType, readPath, writeFilestat } from './wasi-memory.ts';

const [createFlag, folderFlag, exclusiveFlag, truncateFlag] = [1, 2, 4, 8];
const appendFlag = 1;
const readRight = 2n;
const writeRight = 64n;

/** The folder that a path begins at, and the path. */
function pathOf(
  { descriptors, memory }: Surroundings,
  number: number,
  pointer: number,
  length: number,
): { readonly folder: FolderNode; readonly path: string } | Errno {
  const descriptor = descriptors.find(number);
  if (descriptor === null) return errno.badDescriptor;
  if (descriptor.type !== 'folder') return errno.notFolder;
  const path = readPath(memory, pointer, length);
  return typeof path === 'number' ? path : { folder: descriptor.node, path };
}

export const pathFunctions: HostTable<Surroundings> = {
  path_create_directory: offered(
    'iii',
    (host: Surroundings, number: number, pointer: number, length: number) => {
      const place = pathOf(host, number, pointer, length);
      return typeof place === 'number' ? place : host.files.makeFolder(place.folder, place.path);
    },
  ),

  path_filestat_get: offered(
    'iiiii',
    (
      host: Surroundings,
      number: number,
      _flags: number,
      pointer: number,
      length: number,
      at: number,
    ) => {
      const place = pathOf(host, number, pointer, length);
      if (typeof place === 'number') return place;
      const node = host.files.find(place.folder, place.path);
      if (typeof node === 'number') return node;
      if (!host.memory.has(at, filestatBytes)) return errno.fault;
      writeFilestat(host.memory, at, node, fileType[node.type]);
      return errno.success;
    },
  ),

  path_filestat_set_times: offered(
    'iiiiIIi',
    (host: Surroundings, number: number, _flags: number, pointer: number, length: number) => {
      const place = pathOf(host, number, pointer, length);
      if (typeof place === 'number') return place;
      const node = host.files.find(place.folder, place.path);
      return typeof node === 'number' ? node : errno.success;
    },
  ),

  path_link: offered('iiiiiii', () => errno.notSupported),

  path_open: offered(
    'iiiiiIIii',
    (
      host: Surroundings,
      number: number,
      _lookup: number,
      pointer: number,
      length: number,
      flags: number,
      rights: bigint,
      _inherited: bigint,
      descriptorFlags: number,
      result: number,
    ) => {
      const place = pathOf(host, number, pointer, length);
      if (typeof place === 'number') return place;
      if (!host.memory.has(result, 4)) return errno.fault;
      const writes = (rights & writeRight) !== 0n;
      const truncates = (flags & truncateFlag) !== 0;
      const wantsFolder = (flags & folderFlag) !== 0;
      const node = host.files.open(place.folder, place.path, {
        creates: (flags & createFlag) !== 0,
        isExclusive: (flags & exclusiveFlag) !== 0,
        wantsFolder,
        truncates,
        // All rights at once are asked for a folder by some.
        writes: writes && !wantsFolder,
      });
      if (typeof node === 'number') return node;
      const opened =
        node.type === 'folder'
          ? host.descriptors.add({ type: 'folder', node, preopenName: null, listing: null })
          : host.descriptors.add({
              type: 'file',
              node,
              reads: (rights & readRight) !== 0n,
              writes,
              appends: (descriptorFlags & appendFlag) !== 0,
              position: 0,
              isChanged: truncates,
            });
      if (opened === null) return errno.tooManyOpen;
      host.memory.view.setUint32(result, opened, true);
      return errno.success;
    },
  ),

  path_readlink: offered('iiiiii', () => errno.invalid),

  path_remove_directory: offered(
    'iii',
    (host: Surroundings, number: number, pointer: number, length: number) => {
      const place = pathOf(host, number, pointer, length);
      return typeof place === 'number' ? place : host.files.removeFolder(place.folder, place.path);
    },
  ),

  path_rename: offered(
    'iiiiii',
    (
      host: Surroundings,
      oldNumber: number,
      oldPointer: number,
      oldLength: number,
      newNumber: number,
      newPointer: number,
      newLength: number,
    ) => {
      const from = pathOf(host, oldNumber, oldPointer, oldLength);
      if (typeof from === 'number') return from;
      const to = pathOf(host, newNumber, newPointer, newLength);
      if (typeof to === 'number') return to;
      const code = host.files.rename(from.folder, from.path, to.folder, to.path);
      if (code === errno.success) host.noteSettled(to.folder, to.path);
      return code;
    },
  ),

  path_symlink: offered('iiiii', () => errno.notSupported),

  path_unlink_file: offered(
    'iii',
    (host: Surroundings, number: number, pointer: number, length: number) => {
      const place = pathOf(host, number, pointer, length);
      return typeof place === 'number' ? place : host.files.removeFile(place.folder, place.path);
    },
  ),
};
