// A process with the realm and the flags of a child, in which programs run that it reads from its standard input. It
// writes how they ended.

import { readFileSync } from 'node:fs';
import { sesPath } from '../../node/entry-points.ts';
import { nodeHost } from '../../node/sandbox/node-host.ts';
import { hardenRealm } from '../../sandbox/realm.ts';
import { checkRealm } from '../../sandbox/realm-check.ts';
import { WasmKind } from '../wasm-kind.ts';
import { HandTask, loadModule, runToEnd } from './hand-task.ts';
import type { LockedOrder, LockedReport } from './locked-runs.ts';

const kind = new WasmKind({ nowMs: () => 0 });
const order = JSON.parse(readFileSync(0, 'utf8')) as LockedOrder;
const modules = order.map(({ module, ...rest }) => ({
  ...rest,
  bytes: Buffer.from(module, 'base64'),
}));
const write = process.stdout.write.bind(process.stdout);

hardenRealm(nodeHost, sesPath);
const faults = await checkRealm(nodeHost);
process.permission?.drop?.('fs.read');

const ends: LockedReport['ends'][number][] = [];
for (const { bytes, input, options } of modules) {
  try {
    const program = await loadModule(kind, new Uint8Array(bytes), options);
    const task = new HandTask(input, options);
    const step = runToEnd(program, task);
    ends.push({ step, offers: task.offers, reports: task.reports, printed: task.printed });
  } catch (error) {
    ends.push({ refusal: String(error) });
  }
}
const isLocked = Object.isFrozen(Object.prototype) && !('WebAssembly' in globalThis);
write(JSON.stringify({ isLocked, faults, ends } satisfies LockedReport));
