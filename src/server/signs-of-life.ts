// Signs of life of a stream: when it has no items for long, it sends one, so that its reader and proxies
// between know that the connection still works.

export const signPauseMs = 15_000;

/** The items, and `sign` whenever no item has come for `pauseMs`. */
export async function* withSigns<T>(
  items: AsyncIterable<T>,
  sign: T,
  pauseMs = signPauseMs,
): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const item = await withinPause(next, pauseMs);
      if (item === null) {
        yield sign;
        continue;
      }
      if (item.done === true) return;
      yield item.value;
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}

/** Null when no item has come by then. */
async function withinPause<T>(next: Promise<T>, pauseMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), pauseMs);
    timer.unref();
  });
  try {
    return await Promise.race([next, pause]);
  } finally {
    clearTimeout(timer);
  }
}
