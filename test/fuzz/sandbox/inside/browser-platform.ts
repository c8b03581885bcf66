// The platform of a fuzzing child that is a thread in a frame of a browser: see `platform.ts`.

import { bareGlobal } from '../../../../src/worker/browser/bare-global.ts';
import { browserHost } from '../../../../src/worker/browser/browser-host.ts';
import type { ThreadOrder } from '../../../../src/worker/browser/frame-messages.ts';
import type { Host } from '../../../../src/worker/sandbox/host.ts';
import type { FromChild, SandboxLimits } from '../../../../src/worker/sandbox/messages.ts';
import { floatArrays, languageGlobals } from '../../../../src/worker/sandbox/novelties.ts';
import type { FromInside, ToInside } from '../messages.ts';

interface ThreadScope {
  onmessage: ((event: { readonly data: ThreadOrder }) => void) | null;
  onerror: ((message: unknown) => boolean) | null;
  onunhandledrejection: ((event: { preventDefault(): void }) => void) | null;
}

const scope = globalThis as unknown as ThreadScope;
let port: MessagePort | null = null;
let waiting: unknown[] = [];
let listener: (message: ToInside) => void = () => {};

export const host: Host = browserHost;
export const limits: SandboxLimits = {
  resultLimitBytes: 1 << 20,
  outputLimitBytes: 1 << 16,
  stateLimitBytes: 1 << 20,
  outputMessagesPerSecond: 100,
};
export const libraryPath = '';
export const now = performance.now.bind(performance);

scope.onmessage = ({ data }) => {
  scope.onmessage = null;
  port = data.port;
  port.onmessage = (event: { readonly data: ToInside }) => listener(event.data);
  for (const each of waiting) port.postMessage(each);
  waiting = [];
};
scope.onerror = (message) => {
  post(['words', String(message)]);
  return true;
};
scope.onunhandledrejection = (event) => event.preventDefault();

export function hostRoots(): readonly (readonly [name: string, value: unknown])[] {
  return [['globalThis', globalThis]];
}

export function prepareRealm(): void {
  const left = bareGlobal(globalThis, new Set([...languageGlobals, ...floatArrays]));
  if (left.length > 0) endWith(`this browser does not give up ${left.join(', ')}`);
}

export function listen(to: (message: ToInside) => void): void {
  listener = to;
}

export function say(message: FromInside | FromChild): void {
  post(message);
}

export function notePosition(number: number): void {
  post(number);
}

export function endWith(words: string): never {
  post(['words', words]);
  throw new Error(words);
}

function post(message: unknown): void {
  if (port === null) waiting.push(message);
  else port.postMessage(message);
}
