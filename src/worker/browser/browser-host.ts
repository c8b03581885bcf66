// The platform of the sandbox, implemented by a thread of a browser. What it uses is taken when the module
// loads: nothing of it is left on the global object when the first program runs.

import type { Host } from '../sandbox/host.ts';
import { browserKinds } from './browser-kinds.ts';
import { watchProxies } from './known-proxies.ts';
import { loadLibrary } from './library.ts';

const { setTimeout, clearTimeout } = globalThis;
const now = performance.now.bind(performance);
const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);
// A mark at the beginning is a part of the text, as it is elsewhere.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const decode = decoder.decode.bind(decoder);

/**
 * Timers of 0 ms are clamped to 4 when one sets the next; messages are not. Each is a turn of its own, in
 * which messages of the agent and timers that are due get their place.
 */
class Turns {
  readonly #channel = new MessageChannel();
  readonly #post = this.#channel.port2.postMessage.bind(this.#channel.port2);
  #waiting: (() => void)[] = [];
  #head = 0;

  constructor() {
    this.#channel.port1.addEventListener('message', () => {
      const callback = this.#waiting[this.#head++];
      if (this.#head >= this.#waiting.length) {
        this.#waiting = [];
        this.#head = 0;
      }
      callback?.();
    });
    this.#channel.port1.start();
  }

  readonly soon = (callback: () => void): void => {
    this.#waiting.push(callback);
    this.#post(null);
  };
}

function muteConsole(): object {
  const names = ['log', 'warn', 'error', 'info', 'debug', 'group', 'groupCollapsed', 'groupEnd'];
  return Object.fromEntries(names.map((name) => [name, () => {}]));
}

export const browserHost: Host = {
  globals: [],
  kinds: browserKinds,
  loadLibrary: () => {
    // The library looks for one, and says there what it takes away.
    Object.defineProperty(globalThis, 'console', {
      value: muteConsole(),
      configurable: true,
      writable: true,
    });
    loadLibrary();
    watchProxies();
  },
  soon: new Turns().soon,
  startTimer: (callback, delayMs) => setTimeout(callback, delayMs),
  stopTimer: (timer) => {
    clearTimeout(timer as number | undefined);
  },
  // Browsers do not tell how much CPU time a thread has used.
  cpuMicros: () => now() * 1000,
  byteLength: (text) => encode(text).byteLength,
  toText: (utf8) => decode(utf8),
  // What a browser's compiler says has no line, unless the script is run.
  lineOfSyntaxError: () => null,
};
