// The platform of the sandbox, implemented by Node.

import { types } from 'node:util';
import { Script } from 'node:vm';
import type { Host } from '../../sandbox/host.ts';
import { loadLibrary } from './library.ts';

const globals = `
  process Buffer console performance queueMicrotask setTimeout clearTimeout setInterval
  clearInterval setImmediate clearImmediate
`
  .trim()
  .split(/\s+/);

/** Taken before any task code runs, which could otherwise replace them. */
const { setImmediate, setTimeout, clearTimeout } = globalThis;
const { byteLength, from: bufferOf } = Buffer;

export const nodeHost: Host = {
  globals,
  kinds: types,
  loadLibrary,
  soon: setImmediate,
  startTimer: setTimeout,
  stopTimer: clearTimeout,
  cpuMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  byteLength,
  toText: ({ buffer, byteOffset, byteLength: length }) =>
    bufferOf(buffer as ArrayBuffer, byteOffset, length).toString('utf8'),
  lineOfSyntaxError,
};

/** The evaluator of the realm does not report the line of a syntax error; Node's compiler does. */
function lineOfSyntaxError(source: string): number | null {
  try {
    void new Script(source, { filename: 'program' });
    return null;
  } catch (error) {
    const line = /^program:(\d+)/.exec(String((error as Error).stack))?.[1];
    return line === undefined ? null : Number(line);
  }
}
