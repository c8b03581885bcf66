// Reads a folder of built pages as a whole: what is served lies in memory, and a folder that is removed or
// changed later makes no difference.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  encodings,
  indexName,
  type PageFile,
  type PagePolicy,
  type PagesIndex,
  partsFolder,
} from './page-files.ts';

export interface BuiltPage {
  readonly url: string;
  readonly type: string;
  readonly policy: PagePolicy | null;
  /** SHA-256 of the styles in it, in base64. */
  readonly styles: readonly string[];
  /** In hex; the same for every encoding. */
  readonly hash: string;
  readonly content: Buffer;
  /** The name changes with what is in it. */
  readonly isLasting: boolean;
  /** In the order in which they are preferred. */
  readonly encoded: readonly { readonly encoding: string; readonly content: Buffer }[];
}

export interface BuiltPages {
  readonly files: readonly BuiltPage[];
  /** SHA-256 of the script in the frame, in base64. */
  readonly frameScript: string;
}

/** Null when there is no such folder, or when its files are not those that were built. */
export function readPages(folder: string, files: readonly PageFile[]): BuiltPages | null {
  try {
    const index = JSON.parse(readFileSync(join(folder, indexName), 'utf8')) as PagesIndex;
    const parts = index.parts.map(partFile);
    const read = [...files, ...parts].map((file) => readPage(folder, file, index));
    return read.includes(null)
      ? null
      : { files: read as BuiltPage[], frameScript: index.frameScript };
  } catch {
    return null;
  }
}

function partFile(name: string): PageFile {
  return {
    name,
    url: partsFolder + name,
    type: 'text/javascript; charset=utf-8',
    from: { app: name },
  };
}

function readPage(
  folder: string,
  file: PageFile,
  { hashes, styles, parts }: PagesIndex,
): BuiltPage | null {
  const { name, url, type, policy = null } = file;
  const path = join(folder, name);
  const content = readFileSync(path);
  const hash = createHash('sha256').update(content).digest('hex');
  if (hashes[name] !== hash) return null;
  const encoded = encodings.flatMap(({ encoding, extension }) => {
    const compressed = readIfThere(path + extension);
    return compressed === null ? [] : [{ encoding, content: compressed }];
  });
  const isLasting = parts.includes(name);
  return { url, type, policy, styles: styles[name] ?? [], hash, content, isLasting, encoded };
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
