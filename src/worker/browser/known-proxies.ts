// The language cannot tell a Proxy from what it stands for, and looking into one runs its handler. So
// programs get a `Proxy` that keeps a list of what it has made. The engine's own is known to the library of
// the hardened realm alone, which hands none of its proxies out.

const { construct } = Reflect;
const addTo = WeakSet.prototype.add;
const isIn = WeakSet.prototype.has;
const EngineProxy = Proxy;
const { revocable } = Proxy;

const known = new WeakSet<object>();

export function isKnownProxy(value: object): boolean {
  return isIn.call(known, value);
}

/**
 * Puts it into the place of the engine's: after the library has taken that one for itself, and before it
 * looks for what it has to lock and to hand out.
 */
export function watchProxies(): void {
  function make(target: object, handler: ProxyHandler<object>): object {
    if (new.target === undefined) throw new TypeError("Constructor Proxy requires 'new'");
    return noted(construct(EngineProxy, [target, handler]));
  }
  // Bound functions have no `prototype`, as the engine's own has none, and can be constructed all the same.
  const watched = make.bind(undefined);
  const makeRevocable = (target: object, handler: ProxyHandler<object>) => {
    const made = revocable(target, handler);
    noted(made.proxy);
    return made;
  };
  const hidden = { writable: true, enumerable: false, configurable: true };
  Object.defineProperties(watched, {
    name: { value: 'Proxy', writable: false, enumerable: false, configurable: true },
    length: { value: 2, writable: false, enumerable: false, configurable: true },
    revocable: { value: makeRevocable, ...hidden },
  });
  Object.defineProperty(makeRevocable, 'name', { value: 'revocable' });
  Object.defineProperty(globalThis, 'Proxy', { value: watched, ...hidden });
}

/** With a stack that is nearly full it may fail: then nobody gets the Proxy. */
function noted(proxy: object): object {
  addTo.call(known, proxy);
  return proxy;
}
