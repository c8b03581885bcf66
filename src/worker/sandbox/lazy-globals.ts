// Globals that are made when a program first asks for them: `Math`, and what programs know from browsers and
// Node, which is JavaScript of ours, evaluated inside of the compartment. No class or object of the platform is
// among it.

import { type ProgramPorts, seededMath } from './program-globals.ts';
import type { Compartment } from './realm.ts';
import { claimStackRoom } from './stack-room.ts';
import { makeBase64 } from './web/base64.ts';
import { makeCrypto } from './web/crypto.ts';
import { makeStillDate } from './web/still-date.ts';
import { makeStructuredClone } from './web/structured-clone.ts';
import { makeTextCoding } from './web/text-coding.ts';
import { makeUrl } from './web/url.ts';
import { makeUrlHosts } from './web/url-hosts.ts';
import { makeUrlParser } from './web/url-parser.ts';

/** An expression that makes the values of its names. */
interface Part {
  readonly names: readonly string[];
  readonly text: string;
}

// Taken while the modules load: later the realm is locked.
const parts: readonly Part[] = [
  { names: ['TextDecoder', 'TextEncoder'], text: `(${makeTextCoding})()` },
  {
    names: ['URL', 'URLSearchParams'],
    text: `(${makeUrl})((${makeUrlParser})((${makeUrlHosts})()))`,
  },
  { names: ['atob', 'btoa'], text: `(${makeBase64})()` },
  { names: ['crypto'], text: `(${makeCrypto})()` },
  { names: ['structuredClone'], text: `(${makeStructuredClone})()` },
];
const { freeze } = Object;
const dateText = `(${makeStillDate})`;
const texts: ReadonlySet<string> = new Set([dateText, ...parts.map(({ text }) => text)]);

/** Names that are not made before somebody asks for them. */
export const lazyNames: readonly string[] = [
  ...parts.flatMap(({ names }) => names),
  'Date',
  'Math',
];

/** Whether a source is one of these, which need no check. */
export function isOwnText(source: string): boolean {
  return texts.has(source);
}

/** `programNow` is asked when something is made: by then a program has moved in, and it is bound to that one. */
export function addLazyGlobals(compartment: Compartment, programNow: () => ProgramPorts): void {
  const { globalThis: own } = compartment;
  for (const name of ['self', 'global']) define(own, name, own);
  for (const { names, text } of parts) {
    addLazily(own, names, () => compartment.evaluate(text) as Made);
  }
  const { Date: shared } = own;
  const makeDate = () => (compartment.evaluate(dateText) as DateMaker)(shared, programNow().timeMs);
  addLazily(own, ['Date'], makeDate);
  addLazily(own, ['Math'], () => ({ Math: seededMath(programNow()) }));
}

type Made = Readonly<Record<string, unknown>>;
type DateMaker = (shared: unknown, nowMs: number) => Made;

function addLazily(own: object, names: readonly string[], make: () => Made): void {
  let made: Made | null = null;
  for (const name of names) {
    const get = freeze(() => {
      // An overflow in the middle of the evaluator would end the compartment.
      if (made === null) claimStackRoom();
      made ??= make();
      define(own, name, made[name]);
      return made[name];
    });
    const set = freeze((value: unknown) => {
      define(own, name, value);
    });
    Object.defineProperty(own, name, { get, set, enumerable: false, configurable: true });
  }
}

/** Changes nothing when the program has frozen its global object. */
function define(own: object, name: string, value: unknown): void {
  Reflect.defineProperty(own, name, {
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}
