// `await import("some-package")` in a function brings that package along: what is sent is then bundled, so
// that nothing is imported where it runs.

import type { Node, Program } from 'estree';
import { walk } from 'estree-walker';
import { ProgramError } from '../errors.ts';

/** The bundler of Muster is found by this name in Node, beside the SDK or around it. */
const BUNDLER = 'muster/bundle';

interface Bundler {
  /** `source` is a module; resolves with one that imports nothing. */
  readonly bundleModule: (
    source: string,
    packages: readonly string[],
  ) => Promise<{ readonly source: string } | { readonly problems: readonly string[] }>;
}

/** The package or module of Node that is imported there: `lodash-es` of `import("lodash-es")`, not paths or computed names. */
export function packageNamed(node: Node): string | undefined {
  if (node.type !== 'ImportExpression' || node.source.type !== 'Literal') return undefined;
  const { value } = node.source;
  const isPackage = typeof value === 'string' && /^(node:|@[\w.-]+\/)?\w[\w.-]*(\/|$)/.test(value);
  return isPackage ? value : undefined;
}

export function packagesIn(program: Program): readonly string[] {
  const found: string[] = [];
  walk(program, {
    enter(node) {
      const name = packageNamed(node);
      if (name !== undefined) found.push(name);
    },
  });
  return found;
}

/** The module with its packages inside; `what` is for messages. */
export async function bundled(
  module: string,
  packages: ReadonlySet<string>,
  what: string,
): Promise<string> {
  if (packages.size === 0) return module;
  const bundler = await findBundler();
  if (bundler === undefined) {
    const [first] = packages;
    throw refusal(what, [
      `it imports "${first}", and only the package muster can bundle that: install it beside muster-client ` +
        '(in Node; a page cannot), or submit a file with `muster submit`',
    ]);
  }
  const bundle = await bundler.bundleModule(module, [...packages]);
  if ('source' in bundle) return bundle.source;
  throw refusal(what, bundle.problems);
}

async function findBundler(): Promise<Bundler | undefined> {
  try {
    // Whoever bundles the SDK for a page leaves a name alone that is not written out here.
    return (await import(/* @vite-ignore */ BUNDLER)) as Bundler;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    // In a page there is no code at all.
    if (code === undefined || NOT_THERE.has(code)) return undefined;
    throw error;
  }
}

const NOT_THERE = new Set<unknown>(['ERR_MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED']);

function refusal(what: string, problems: readonly string[]): ProgramError {
  return new ProgramError(
    what,
    problems.map((message) => ({ name: null, line: null, column: null, message })),
  );
}
