// The code of a child, built: one file instead of thirty, without types to strip, compiled already. It
// is kept in a folder of the worker, or of all workers of a coordinator, under the hash of all that it is
// made of, so it is built once for a version of Muster and of Node; until it is there, children run their
// sources. Nothing that a child may write is near it.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BuildOrder } from './child-code/build-order.ts';
import { sealName, sealOf, startName } from './child-code/files.ts';
import { builderEntry, type ChildCode, childSources } from './entry-points.ts';

/** The first tasks of a worker should not have to share the processor with the build. */
const buildAfterMs = 5_000;

export class BuiltCode {
  readonly #order: BuildOrder;
  #found: ChildCode | null;
  #builder: ChildProcess | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isGivenUp = false;

  /** `node` and `flags` are those of the children. */
  constructor(folder: string, node: string, flags: readonly string[]) {
    const target = join(folder, hashOfAll(node, flags));
    this.#order = { target, node, flags };
    this.#found = findBuilt(target);
  }

  /** Null until it is there. */
  get found(): ChildCode | null {
    return this.#isGivenUp ? null : this.#found;
  }

  /** When the worker has found its feet. */
  buildSoon(): void {
    if (this.#found !== null || this.#isGivenUp) return;
    this.#timer ??= setTimeout(() => {
      void this.build().then(() => {
        this.#timer = null;
      });
    }, buildAfterMs).unref();
  }

  /** In a process of its own. One that cannot be built costs time, no more: the sources serve. */
  async build(): Promise<void> {
    // Another worker may have built it.
    this.#found = findBuilt(this.#order.target);
    if (this.#found !== null) return;
    const builder = spawn(process.execPath, [builderEntry, JSON.stringify(this.#order)], {
      stdio: 'ignore',
      windowsHide: true,
    });
    this.#builder = builder;
    await new Promise<void>((resolve) => {
      builder.on('error', () => resolve());
      builder.on('exit', () => resolve());
    });
    this.#found = findBuilt(this.#order.target);
  }

  /** A child that ran it has not become ready: from here on the sources serve. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  close(): void {
    this.#isGivenUp = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#builder?.kill('SIGKILL');
  }
}

/** Null when it is not there, or is not what was built. */
function findBuilt(folder: string): ChildCode | null {
  try {
    if (readFileSync(join(folder, sealName), 'utf8') !== sealOf(folder)) return null;
  } catch {
    return null;
  }
  return { entry: join(folder, startName), folders: [folder], files: [] };
}

/** Of everything that the built code depends on. */
function hashOfAll(node: string, flags: readonly string[]): string {
  const { folders, files } = childSources();
  const { size, mtimeMs } = statSync(node);
  const hash = createHash('sha256').update(JSON.stringify([node, size, mtimeMs, flags]));
  const paths = [...folders, dirname(builderEntry)].flatMap((each) =>
    readdirSync(each, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(each, name))
      .toSorted(),
  );
  for (const path of [...paths, ...files]) {
    const content = readFileSync(path);
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}
