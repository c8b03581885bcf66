// Circles of imports: modules that need each other can be read, tested and moved only together.

import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source-files.ts';

/**
 * The circles of `import type` count too if `withTypes`. Each is the paths of all modules that reach one
 * another, in alphabetical order.
 */
export function importCycles(files: readonly SourceFile[], withTypes: boolean): string[][] {
  const edges = new Map(files.map((file) => [file.path, targetsOf(file, withTypes)]));
  return new Circles(edges).find();
}

function targetsOf(file: SourceFile, withTypes: boolean): string[] {
  return importsOf(file)
    .filter(({ specifier, isTypeOnly }) => specifier.startsWith('.') && (withTypes || !isTypeOnly))
    .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier));
}

/** Tarjan's strongly connected components (1972), as far as they have more than one member. */
class Circles {
  readonly #edges: ReadonlyMap<string, readonly string[]>;
  readonly #index = new Map<string, number>();
  /** What reaches itself or something earlier is not closed yet. */
  readonly #stack: string[] = [];
  readonly #found: string[][] = [];

  constructor(edges: ReadonlyMap<string, readonly string[]>) {
    this.#edges = edges;
  }

  find(): string[][] {
    for (const path of this.#edges.keys()) if (!this.#index.has(path)) this.#visit(path);
    return this.#found.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  }

  /** Returns the smallest index that is reached from here, of what is on the stack. */
  #visit(path: string): number {
    const index = this.#index.size;
    this.#index.set(path, index);
    this.#stack.push(path);
    let low = index;
    for (const target of this.#edges.get(path) ?? []) {
      if (target === path || !this.#edges.has(target)) continue;
      if (!this.#index.has(target)) low = Math.min(low, this.#visit(target));
      else if (this.#stack.includes(target)) low = Math.min(low, this.#index.get(target) ?? low);
    }
    if (low === index) this.#close(path);
    return low;
  }

  #close(root: string): void {
    const members = this.#stack.splice(this.#stack.indexOf(root));
    if (members.length > 1) this.#found.push(members.toSorted());
  }
}
