// The built code of a child: one file instead of many, with the types stripped and compiled
// already. It is kept in a folder of the worker, or of all workers of a coordinator, under the hash
// of all that it is made of, so it is built once for a version of Muster and of Node. Until it is
// there, children run the sources. A child cannot write to that folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BuildOrder } from './child-code/build-order.ts';
import { sealName, sealOf, startName } from './child-code/files.ts';
import { builderEntry, type ChildCode, childSources } from './entry-points.ts';

/** A pause, so that the build does not compete with the start of the worker. */
const buildAfterMs = 5_000;
/** Nor does it with tasks: it waits until none was begun for so long, but not for ever. */
const idleMs = 2_000;
const latestMs = 60_000;

export class BuiltCode {
  readonly #order: BuildOrder;
  #found: ChildCode | null;
  #builder: ChildProcess | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** When tasks were handed to a child the last time. */
  #workedAt = -Infinity;
  #isGivenUp = false;

  /** `node` and `flags` are those of the children. */
  constructor(folder: string, node: string, flags: readonly string[]) {
    const target = join(folder, hashOfAll(node, flags));
    this.#order = { target, node, flags };
    this.#found = findBuilt(target);
  }

  /** Null until the code has been built, and when it does not work. */
  get found(): ChildCode | null {
    return this.#isGivenUp ? null : this.#found;
  }

  /** Tasks are handed to a child. */
  worked(): void {
    if (this.#timer !== null) this.#workedAt = performance.now();
  }

  /** Builds after a pause, once. */
  buildSoon(): void {
    if (this.#found !== null || this.#isGivenUp || this.#timer !== null) return;
    this.#wait(buildAfterMs, performance.now() + latestMs);
  }

  #wait(ms: number, until: number): void {
    this.#timer = setTimeout(() => {
      const now = performance.now();
      const restMs = Math.min(this.#workedAt + idleMs, until) - now;
      if (restMs > 0) return this.#wait(restMs, until);
      void this.build().then(() => {
        this.#timer = null;
      });
    }, ms).unref();
  }

  /**
   * Builds in a process of its own. When that fails, children go on with the sources and start
   * slower.
   */
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

  /** A child with the built code did not become ready: from here on children run the sources. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  close(): void {
    this.#isGivenUp = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#builder?.kill('SIGKILL');
  }
}

/** Null when the folder is not there, or its files are not those that were built (see the seal). */
function findBuilt(folder: string): ChildCode | null {
  try {
    if (readFileSync(join(folder, sealName), 'utf8') !== sealOf(folder)) return null;
  } catch {
    return null;
  }
  return { entry: join(folder, startName), folders: [folder], files: [], isWhole: true };
}

/** Hash of everything that the built code depends on. */
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
