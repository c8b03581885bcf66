// Stands in for Node's `timers` in a bundle.

type Listener = (...args: unknown[]) => void;

export const setImmediate = (listener: Listener, ...args: unknown[]): unknown =>
  globalThis.setTimeout(listener, 0, ...args);
export const clearImmediate = (timer: number): void => {
  globalThis.clearTimeout(timer);
};
export const { clearInterval, clearTimeout, setInterval, setTimeout } = globalThis;
