// The walk over objects that two jobs share, in a process.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { realmWalkCases, type WalkReport } from './realm-walk.cases.ts';

const fixture = fileURLToPath(new URL('../fixtures/planted-faults/main.ts', import.meta.url));
const child = spawnSync(process.execPath, [fixture], { encoding: 'utf8' });

realmWalkCases('a process', JSON.parse(child.stdout) as WalkReport);
