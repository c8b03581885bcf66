// Bundles the sources of a child into one text of JavaScript: an expression with two functions, the
// library of the hardened realm and the child.

import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { sandboxEntry, sesPath } from '../entry-points.ts';

export async function bundleChild(): Promise<string> {
  const bundler = await rolldown({
    input: sandboxEntry,
    platform: 'node',
    external: [/^node:/],
    logLevel: 'silent',
    plugins: [libraryWithin],
  });
  const { output } = await bundler.generate({
    format: 'cjs',
    codeSplitting: false,
    comments: false,
  });
  await bundler.close();
  const library = readFileSync(sesPath, 'utf8');
  // The library does not run in strict code, the child runs in nothing else.
  return `[() => {${library}\n}, function (require, loadLibrary) {'use strict';\n${output[0].code}\n}]`;
}

/** Replaces `sandbox/library.ts`: in the bundle the library is a parameter, not a file. */
const libraryWithin: Plugin = {
  name: 'muster:library',
  load(id) {
    if (basename(id, extname(id)) !== 'library') return null;
    return { code: 'const within = loadLibrary; export { within as loadLibrary };' };
  },
};
