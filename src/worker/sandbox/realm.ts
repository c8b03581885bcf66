// The hardened realm of a child: its intrinsics are locked, and a compartment has only ECMAScript and the
// globals that it is given. Nothing of the host is put into one here.

import type { Host } from './host.ts';
import {
  floatArrays,
  hardenNovelties,
  languageGlobals,
  removeNovelties,
  tameNovelties,
} from './novelties.ts';
import { allowOverrides } from './overrides.ts';

export interface Compartment {
  readonly globalThis: Record<string, unknown>;
  evaluate(
    source: string,
    options?: { readonly __rejectSomeDirectEvalExpressions__: boolean },
  ): unknown;
}

/** Returns the text to evaluate in place of the source; may throw a SyntaxError. */
export type SourceCheck = (source: string) => string;

/** What the library puts on the global object; removed again once it was used. */
interface Hardening {
  repairIntrinsics?: (options: Readonly<Record<string, string>>) => void;
  hardenIntrinsics?: () => void;
  lockdown?: unknown;
  harden?: <T>(value: T) => T;
  Compartment?: new (options?: object) => Compartment;
}

interface Realm {
  readonly harden: <T>(value: T) => T;
  readonly Compartment: new (options?: object) => Compartment;
  /** Intrinsics that the library withholds and every compartment gets. */
  readonly floats: object;
  /** What the library puts on every global object and no program may have. */
  readonly unwanted: readonly string[];
}

let realm: Realm | null = null;

/**
 * Hardens the realm, once per process: afterwards none of its intrinsics can be changed. `sesPath` is
 * the file of the library.
 */
export function hardenRealm(host: Pick<Host, 'globals' | 'loadLibrary'>, sesPath: string): void {
  const untamed = removeNovelties(host.globals);
  host.loadLibrary(sesPath);
  const hardening = globalThis as Hardening;
  hardening.repairIntrinsics?.({
    // Task code must not be able to end the process by an unhandled rejection.
    errorTrapping: 'none',
    unhandledRejectionTrapping: 'none',
    // The console of the host is not handed to task code.
    consoleTaming: 'unsafe',
    overrideTaming: 'severe',
  });
  tameNovelties(untamed);
  allowOverrides([...languageGlobals, ...floatArrays]);
  hardening.hardenIntrinsics?.();
  const { harden: hardenAll, Compartment } = hardening;
  if (hardenAll === undefined || Compartment === undefined) {
    throw new Error(`the library at ${sesPath} did not harden the realm`);
  }
  hardenNovelties(untamed, hardenAll);
  const named = globalThis as unknown as Record<string, unknown>;
  const floats = Object.fromEntries(floatArrays.map((name) => [name, named[name]]));
  realm = { harden: hardenAll, Compartment, floats, unwanted: unwantedOf(new Compartment()) };
  const tools = ['lockdown', 'repairIntrinsics', 'hardenIntrinsics', 'harden', 'Compartment'];
  for (const name of tools) Reflect.deleteProperty(globalThis, name);
}

/** A new compartment also has functions to make others, and classes that the library takes for harmless. */
function unwantedOf({ globalThis: own }: Compartment): readonly string[] {
  const known = new Set([...languageGlobals, ...floatArrays]);
  return Object.getOwnPropertyNames(own).filter((name) => !known.has(name));
}

/** Freezes a value and everything that can be reached from it. */
export function harden<T>(value: T): T {
  return lockedRealm().harden(value);
}

/**
 * `check` is called for every source: the program's own, and those that it gives to Function and
 * eval.
 */
export function makeCompartment(globals: object, check: SourceCheck): Compartment {
  const { Compartment, floats, unwanted } = lockedRealm();
  const compartment = new Compartment({
    globals: { ...floats, ...globals },
    transforms: [check],
    __options__: true,
  });
  for (const name of unwanted) {
    if (!Object.hasOwn(globals, name)) Reflect.deleteProperty(compartment.globalThis, name);
  }
  return compartment;
}

function lockedRealm(): Realm {
  if (realm === null) throw new Error('the realm has not been hardened yet');
  return realm;
}
