// One text for everything that the built pages depend on, so that they are built again when any of it changes.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rooms that pages are made of. */
const rooms = ['client', 'dashboard', 'pages', 'protocol', 'transport', 'worker'];
/** Of Node alone, and of tests. */
const isForeign = (path: string) => /(^|[/\\])(node|testing)[/\\]|\.(test|cases)\.ts$/.test(path);

/** `others`: files beside the sources, like the lock file that names the versions of packages. */
export function hashSources(sources: string, others: readonly string[], version: string): string {
  const hash = createHash('sha256').update(`${version}\n`);
  const own = rooms.flatMap((room) => filesIn(sources, room));
  for (const path of [...own.map((each) => join(sources, each)), ...others]) {
    const content = contentOf(path);
    hash.update(`${path.slice(sources.length)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

function filesIn(sources: string, room: string): string[] {
  try {
    return readdirSync(join(sources, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(sources.length + 1))
      .filter((path) => !isForeign(path))
      .toSorted();
  } catch {
    return [];
  }
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
