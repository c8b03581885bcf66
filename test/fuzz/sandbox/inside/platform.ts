// The platform of a fuzzing child that is a process. For one that is a thread of a browser, the bundler puts
// `browser-platform.ts` in its place: both export the same.

import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { nodeHost } from '../../../../src/worker/node/sandbox/node-host.ts';
import type { Host } from '../../../../src/worker/sandbox/host.ts';
import type {
  ChildSettings,
  FromChild,
  SandboxLimits,
} from '../../../../src/worker/sandbox/messages.ts';
import type { FromInside, ToInside } from '../messages.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as ChildSettings;
const position = new Int32Array(1);

export const host: Host = nodeHost;
export const limits: SandboxLimits = settings;
export const libraryPath: string = settings.sesPath;
export const now = performance.now.bind(performance);

/** Objects from which all others of the host can be reached. */
export function hostRoots(): readonly (readonly [name: string, value: unknown])[] {
  const require = createRequire(import.meta.url);
  const modules = ['fs', 'vm', 'module', 'util', 'worker_threads', 'child_process', 'timers'];
  const imported = modules.map((name) => [name, require(`node:${name}`) as unknown] as const);
  return [['globalThis', globalThis], ['process', process], ['require', require], ...imported];
}

/** What the production child does before the realm is hardened. */
export function prepareRealm(): void {
  process.on('unhandledRejection', () => {});
  process.on('disconnect', () => process.exit(0));
}

export function listen(listener: (message: ToInside) => void): void {
  process.on('message', listener);
}

export function say(message: FromInside | FromChild): void {
  process.send?.(message);
}

/** Told outside of the messages: it outlives the child. */
export function notePosition(number: number): void {
  position[0] = number;
  writeSync(settings.positionFd, position, 0, 4, 0);
}

export function endWith(words: string): never {
  writeSync(2, `${words}\n`);
  process.exit(1);
}
