// The hardened realm of a child: intrinsics locked, and compartments that find in it nothing but
// ECMAScript and what they are given. Nothing of the host is put into one here.

import type { Host } from './host.ts';
import {
  floatArrays,
  hardenNovelties,
  languageGlobals,
  removeNovelties,
  tameNovelties,
} from './novelties.ts';

export interface Compartment {
  readonly globalThis: Record<string, unknown>;
  evaluate(
    source: string,
    options?: { readonly __rejectSomeDirectEvalExpressions__: boolean },
  ): unknown;
}

/** May throw a SyntaxError; returns what is evaluated in place of the source. */
export type SourceCheck = (source: string) => string;

/** What the library puts on the global object, taken off it again once it is used. */
interface Hardening {
  repairIntrinsics?: (options: Readonly<Record<string, string>>) => void;
  hardenIntrinsics?: () => void;
  lockdown?: unknown;
  harden?: <T>(value: T) => T;
  Compartment?: new (options: object) => Compartment;
}

interface Realm {
  readonly harden: <T>(value: T) => T;
  readonly Compartment: new (options: object) => Compartment;
}

let realm: Realm | null = null;

/**
 * Once per process, and for good: afterwards no intrinsic of this realm can be changed. `sesPath` is
 * the file of the library, whole in one.
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
  hardening.hardenIntrinsics?.();
  const { harden: hardenAll, Compartment } = hardening;
  if (hardenAll === undefined || Compartment === undefined) {
    throw new Error(`the library at ${sesPath} did not harden the realm`);
  }
  hardenNovelties(untamed, hardenAll);
  realm = { harden: hardenAll, Compartment };
  const tools = ['lockdown', 'repairIntrinsics', 'hardenIntrinsics', 'harden', 'Compartment'];
  for (const name of tools) Reflect.deleteProperty(globalThis, name);
}

/** Freezes a value and all that it leads to. */
export function harden<T>(value: T): T {
  return lockedRealm().harden(value);
}

/** `check` is asked about every source: the program's own, and what it gives to Function and eval. */
export function makeCompartment(globals: object, check: SourceCheck): Compartment {
  const host = globalThis as unknown as Record<string, unknown>;
  const floats = Object.fromEntries(floatArrays.map((name) => [name, host[name]]));
  const compartment = new (lockedRealm().Compartment)({
    globals: { ...floats, ...globals },
    transforms: [check],
    __options__: true,
  });
  // A compartment brings tools to make others, and whatever its library takes for harmless.
  const known = new Set([...languageGlobals, ...floatArrays, ...Object.keys(globals)]);
  for (const name of Object.getOwnPropertyNames(compartment.globalThis)) {
    if (!known.has(name)) Reflect.deleteProperty(compartment.globalThis, name);
  }
  return compartment;
}

function lockedRealm(): Realm {
  if (realm === null) throw new Error('the realm has not been hardened yet');
  return realm;
}
