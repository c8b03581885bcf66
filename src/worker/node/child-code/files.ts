// The files of a built child: its code as one text, the code that V8 compiled from it, the script
// that starts it, and a seal (a hash) over all three.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const textName = 'child.js';
const compiledName = 'child.compiled';
/** A process with this name on its command line is a child, see pid-files.ts. */
export const startName = 'muster-sandbox-child.cjs';
export const sealName = 'seal';

/**
 * The text is an expression: the library of the hardened realm as a function, and the child as one.
 */
const load = (folder: string) => `
  const { readFileSync, writeFileSync } = require('node:fs');
  const { Script } = require('node:vm');
  const pathOf = (name) => ${folder} + '/' + name;
  const text = readFileSync(pathOf('${textName}'), 'utf8');
  const run = (script) => {
    const [loadLibrary, child] = script.runInThisContext();
    child(require, loadLibrary);
  };`;

export const startText = `'use strict';${load('__dirname')}
  const cachedData = readFileSync(pathOf('${compiledName}'));
  run(new Script(text, { filename: '${textName}', cachedData }));
`;

/** Runs a child up to its message `ready`, saves what V8 has compiled by then, and ends. */
export const compileText = `'use strict';${load('process.cwd()')}
  const script = new Script(text, { filename: '${textName}' });
  const exit = process.exit.bind(process);
  process.argv[2] = '{}';
  process.send = ([kind]) => {
    if (kind !== 'ready') return;
    writeFileSync(pathOf('${compiledName}'), script.createCachedData());
    exit(0);
  };
  run(script);
`;

/** The seal for the files that are in the folder now. */
export function sealOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of [textName, compiledName, startName]) {
    const content = readFileSync(join(folder, name));
    hash.update(`${name} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}
