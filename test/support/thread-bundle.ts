// The text of a program for the thread of a frame, with the library of the hardened realm in it, as production
// has it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const library = createRequire(import.meta.url).resolve('ses');

/** Where the entry imports `./platform.ts`, it gets `browser-platform.ts` beside it. */
export async function bundleThread(entry: string): Promise<string> {
  const bundler = await rolldown({
    input: entry,
    platform: 'browser',
    logLevel: 'silent',
    plugins: [libraryWithin, browserPlatform(dirname(entry))],
  });
  try {
    const { output } = await bundler.generate({
      format: 'iife',
      codeSplitting: false,
      comments: false,
    });
    // The library does not run in strict code, the thread runs in nothing else.
    return `((loadLibrary) => {'use strict';\n${output[0].code}\n})(() => {${readFileSync(library, 'utf8')}\n});\n`;
  } finally {
    await bundler.close();
  }
}

const libraryWithin: Plugin = {
  name: 'test:library',
  load(id) {
    if (basename(id, extname(id)) !== 'library') return null;
    return { code: 'const within = loadLibrary; export { within as loadLibrary };' };
  },
};

function browserPlatform(folder: string): Plugin {
  return {
    name: 'test:platform',
    resolveId: (id) => (id === './platform.ts' ? join(folder, 'browser-platform.ts') : undefined),
  };
}
