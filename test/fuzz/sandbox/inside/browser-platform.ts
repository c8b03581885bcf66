// The platform of a fuzzing child that is a thread in a frame of a browser: see `platform.ts`.

import { bareGlobal } from '../../../../src/worker/browser/bare-global.ts';
import { browserHost } from '../../../../src/worker/browser/browser-host.ts';
import type { Host } from '../../../../src/worker/sandbox/host.ts';
import type { FromChild, SandboxLimits } from '../../../../src/worker/sandbox/messages.ts';
import { floatArrays, languageGlobals } from '../../../../src/worker/sandbox/novelties.ts';
import type { FromInside, ToInside } from '../messages.ts';

/** As much of a port as is used here: types of a browser are not known where this is checked. */
interface Port {
  postMessage(message: unknown): void;
  start(): void;
}

const scope = globalThis as unknown as EventTarget;
/** When the port comes, the global object has lost it, and with it all that inherit it. */
// oxlint-disable-next-line typescript/unbound-method -- called with the port as its `this`
const { addEventListener: addListener } = EventTarget.prototype;
let port: Port | null = null;
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

scope.addEventListener(
  'message',
  (event) => {
    // `ThreadOrder`, from the script of the frame.
    const { data } = event as unknown as { readonly data: { readonly port: Port } };
    ({ port } = data);
    Reflect.apply(addListener, port, [
      'message',
      (order: { readonly data: ToInside }) => listener(order.data),
    ]);
    port.start();
    for (const each of waiting) post(each);
    waiting = [];
  },
  { once: true },
);
scope.addEventListener('error', (event) => {
  event.preventDefault();
  post(['words', (event as ErrorEvent).message]);
});
scope.addEventListener('unhandledrejection', (event) => event.preventDefault());

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
