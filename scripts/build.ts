// `npm run build`: makes what is published, in dist/: the folders of two packages, and their tarballs as
// `npm pack` makes them. `muster` is the command line with the coordinator, the worker and the SDK;
// `muster-client` is the SDK alone.

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeMuster } from './packages/muster.ts';
import { makeMusterClient } from './packages/muster-client.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
  const out = resolve(values.out);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await makeMuster(join(out, 'muster'));
  await makeMusterClient(join(out, 'muster-client'));
  for (const name of ['muster', 'muster-client']) pack(name, out);
}

function pack(name: string, out: string): void {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', `./${name}`, '--silent'], {
    cwd: out,
    encoding: 'utf8',
    shell: process.platform === 'win32', // npm is a .cmd there
  });
  if (status !== 0) throw new Error(`npm could not pack ${name}: ${stderr}`);
  console.log(`${join(out, name)} and, to install it elsewhere, ${join(out, stdout.trim())}`);
}

await main();
