// A timer that does not keep a process alive. Only Node has such timers, and needs them.

export type Timer = ReturnType<typeof setTimeout>;

export function startLooseTimer(callback: () => void, delayMs: number): Timer {
  const timer: unknown = setTimeout(callback, delayMs);
  if (isProcessTimer(timer)) timer.unref();
  return timer as Timer;
}

function isProcessTimer(timer: unknown): timer is { unref(): void } {
  return typeof timer === 'object' && timer !== null && 'unref' in timer;
}
