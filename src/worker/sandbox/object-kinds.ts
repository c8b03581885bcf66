// What an object is inside, whatever it pretends to be. The engine answers: asking runs no code of the
// object's owner (getters, handlers of a Proxy, `Symbol.hasInstance`), never throws, and does not go by the
// prototype, which can be set. A Proxy is a Proxy and nothing else, whatever its target is.
//
// The driver and the text of results ask about objects of strangers. The check of a realm asks about what a
// program of ours has got hold of, where nothing is in disguise. A platform that cannot tell a kind may do
// what is said with that kind, and must not answer false to everything where nothing is said.

export interface ObjectKinds {
  /**
   * The language tells nobody. A platform that does not either may answer false when it has taken `Proxy`
   * away from all programs, and then only: to look into one is to run its handler.
   */
  isProxy(value: object): boolean;

  /** The driver gives it to the engine's own `then`. A value that merely has a `then` is none. */
  isPromise(value: object): value is Promise<unknown>;
  /** Or one of an async generator. The driver gives it to the engine's own `next` and `return`. */
  isGeneratorObject(value: object): boolean;
  // May go by the prototypes of both, where the object is no Proxy. What is taken for one of them wrongly
  // fails its own attempt: the engine's functions throw.

  isMap(value: object): boolean;
  isSet(value: object): boolean;
  isWeakMap(value: object): boolean;
  isWeakSet(value: object): boolean;
  isDate(value: object): boolean;
  isRegExp(value: object): boolean;
  /** Of memory that threads share, too. */
  isAnyArrayBuffer(value: object): boolean;
  isArrayBufferView(value: object): boolean;
  isTypedArray(value: object): boolean;
  isDataView(value: object): boolean;
  // May ask a function of the language, taken before the lock, that reads what only such an object has
  // inside and throws for all others: `Map.prototype.has`, `Date.prototype.getTime`, the getter of
  // `byteLength`.

  isMapIterator(value: object): boolean;
  isSetIterator(value: object): boolean;
  // May go by the prototype: the check of a realm alone asks.

  /** May answer false where nothing hands a module to programs, which cannot import. */
  isModuleNamespaceObject(value: object): boolean;
  /** A pointer of native code, dressed as an object. May answer false where nothing makes them. */
  isExternal(value: object): boolean;
}
