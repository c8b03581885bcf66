// What an object is inside, whatever it pretends to be. The engine answers: a question runs no code
// of the object's owner (getters, handlers of a Proxy, `Symbol.hasInstance`), never throws, and
// does not rely on the prototype, which can be set. A Proxy is a Proxy and nothing else, whatever
// its target is.
//
// The driver and `result-json.ts` ask about objects of task code. The check of a realm asks about objects
// that the probe program has found, where nothing is disguised. A platform that cannot tell a kind may do
// what is said with that kind; where nothing is said, it must not answer false to everything.

export interface ObjectKinds {
  /**
   * The language has no such test. A platform without one may answer false only when it has taken `Proxy`
   * away from all programs: looking into a Proxy runs its handler.
   */
  isProxy(value: object): boolean;

  /** The driver calls the engine's own `then` with it. A value that merely has a `then` is no promise. */
  isPromise(value: object): value is Promise<unknown>;
  /** True for async generators too. The driver calls the engine's own `next` and `return` with it. */
  isGeneratorObject(value: object): boolean;
  /** Where it answers false, errors are reported without their stack. */
  isNativeError(value: object): boolean;
  // These may go by the prototype where the object is no Proxy. An object that is wrongly taken for one
  // fails only its own attempt: the engine's functions throw.

  isMap(value: object): boolean;
  isSet(value: object): boolean;
  isWeakMap(value: object): boolean;
  isWeakSet(value: object): boolean;
  isDate(value: object): boolean;
  isRegExp(value: object): boolean;
  /** True for a SharedArrayBuffer too. */
  isAnyArrayBuffer(value: object): boolean;
  isArrayBufferView(value: object): boolean;
  isTypedArray(value: object): boolean;
  isDataView(value: object): boolean;
  // For these, a platform may call a function of the language, taken before the lock, that reads what
  // only such an object has inside and throws for all others: `Map.prototype.has`,
  // `Date.prototype.getTime`, the getter of `byteLength`.

  isMapIterator(value: object): boolean;
  isSetIterator(value: object): boolean;
  // These two may go by the prototype: only the check of a realm asks.

  /** May answer false where the platform hands no module to programs, which cannot import. */
  isModuleNamespaceObject(value: object): boolean;
  /** An object that holds a pointer of native code. May answer false where the platform makes none. */
  isExternal(value: object): boolean;
}
