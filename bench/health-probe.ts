// Asks for `/healthz` again and again: the longest answer bounds a stall of the event loop.

export interface HealthProbe {
  /** The longest answer in ms. */
  stop(): Promise<number>;
}

export function probeHealth(url: string): HealthProbe {
  let longest = 0;
  const end = new AbortController();
  const probing = (async () => {
    while (!end.signal.aborted) {
      const startedAt = performance.now();
      // A failed request counts as an answer at this moment.
      await fetch(`${url}/healthz`).then(
        (answer) => answer.arrayBuffer(),
        () => null,
      );
      longest = Math.max(longest, performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    stop: async () => {
      end.abort();
      await probing;
      return longest;
    },
  };
}
