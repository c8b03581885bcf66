// Writes the folder of built pages. It is written beside its place and renamed, so that whoever finds it finds
// all of it; of two processes that build at once, one comes first and the other throws its own away.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { PagesOrder } from './build-order.ts';
import { type MadePages, makePages } from './bundle-pages.ts';
import { indexName, pageFiles, type PageFile, type PagesIndex } from './page-files.ts';
import { readPages } from './read-pages.ts';

/** Folders of other sources are kept for so long: a checkout goes back and forth between branches. */
const keepMs = 7 * 24 * 3_600_000;
const draftMs = 3_600_000;
const draftEnd = '.new';

/** Does nothing where the folder is there. */
export async function buildFolder(
  { sources, version, target, removesOthers }: PagesOrder,
  files: readonly PageFile[] = pageFiles,
): Promise<void> {
  if (isBuilt(target, files)) return;
  const made = await makePages(files, { sources, version });
  const draft = `${target}.${process.pid}${draftEnd}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    await writeAll(draft, made);
    if (removesOthers) removeOld(dirname(target), basename(target));
    // One that is damaged would be in the way.
    if (!isBuilt(target, files)) rmSync(target, { recursive: true, force: true });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process was first.
    if (!isBuilt(target, files)) throw error;
  }
}

function isBuilt(folder: string, files: readonly PageFile[]): boolean {
  return readPages(folder, files) !== null;
}

async function writeAll(
  folder: string,
  { contents, frameScript, styles, parts, packages }: MadePages,
): Promise<void> {
  const hashes: Record<string, string> = {};
  for (const [name, content] of contents) {
    hashes[name] = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(folder, name), content);
    const small = Math.floor(content.length * 0.95);
    const br = await promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    });
    const gz = await promisify(gzip)(content, { level: 9 });
    if (br.length < small) writeFileSync(join(folder, `${name}.br`), br);
    if (gz.length < small) writeFileSync(join(folder, `${name}.gz`), gz);
  }
  const index: PagesIndex = { frameScript, styles, parts, packages, hashes };
  writeFileSync(join(folder, indexName), `${JSON.stringify(index, null, 2)}\n`);
}

/** Those that nobody has asked for of late, and drafts of processes that were killed. */
function removeOld(folder: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    if (name === kept || name.startsWith(`${kept}.`)) continue;
    const path = join(folder, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > (name.endsWith(draftEnd) ? draftMs : keepMs)) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}
