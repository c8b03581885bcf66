// A stream that follows something may have nothing to say for long. Then it gives a sign of life, so that
// its reader, and whatever stands between, learn in time that the connection works.

export const signPauseMs = 15_000;

/** What comes, and `sign` whenever nothing has come for a while. */
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

/** Null when nothing has come by then. */
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
