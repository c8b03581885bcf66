// Reads what `npm pack` makes: a gzipped tar archive of short paths and plain files.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const BLOCK_BYTES = 512;

interface TarEntry {
  readonly path: string;
  readonly content: Buffer;
}

export function readTarball(file: string): TarEntry[] {
  const archive = gunzipSync(readFileSync(file));
  const entries: TarEntry[] = [];
  for (let offset = 0; archive[offset] !== undefined && archive[offset] !== 0; ) {
    const header = archive.subarray(offset, offset + BLOCK_BYTES);
    const sizeBytes = Number.parseInt(textAt(header, 124, 12), 8);
    const start = offset + BLOCK_BYTES;
    const prefix = textAt(header, 345, 155);
    const path = prefix === '' ? textAt(header, 0, 100) : `${prefix}/${textAt(header, 0, 100)}`;
    // '0' is a plain file; others are folders and extended headers (times, not names).
    if (textAt(header, 156, 1) === '0') {
      entries.push({ path, content: archive.subarray(start, start + sizeBytes) });
    }
    offset = start + Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  return entries;
}

/** Writes the files below the folder, as `tar -x` would. */
export function unpack(entries: readonly TarEntry[], folder: string): void {
  for (const { path, content } of entries) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

function textAt(header: Buffer, start: number, length: number): string {
  return header
    .toString('utf8', start, start + length)
    .replace(/\0.*$/s, '')
    .trim();
}
