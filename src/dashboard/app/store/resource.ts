// A part of a page that is read by itself: none waits for another, and one that fails says so alone.

import { useEffect, useRef, useState } from 'preact/hooks';
import { pausedAtMs } from './freshness.ts';
import { generation } from './stream.ts';

export interface Part<T> {
  /** What was read last; null before, and for another key. */
  readonly value: T | null;
  /** Of the last try. */
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Reads it now. */
  readonly again: () => void;
}

export interface PartOptions {
  /** Read again after so long, while the page is seen and not paused. */
  readonly everyMs?: number;
  /** Nothing is read. */
  readonly isOff?: boolean;
}

/** `key`: names what is read; another key is another thing, and what was read before is not shown for it. */
export function usePart<T>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
  { everyMs, isOff = false }: PartOptions = {},
): Part<T> {
  const [state, setState] = useState<{ key: string; value: T | null; error: unknown }>({
    key,
    value: null,
    error: null,
  });
  const [isLoading, setLoading] = useState(!isOff);
  const [tries, setTries] = useState(0);
  const latestRead = useRef(read);
  latestRead.current = read;
  const reads = generation.value;

  useEffect(() => {
    if (isOff) return setLoading(false);
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const once = async (): Promise<void> => {
      try {
        const value = await latestRead.current(end.signal);
        if (!end.signal.aborted) setState({ key, value, error: null });
      } catch (error) {
        if (end.signal.aborted) return;
        setState((before) => ({ key, value: before.key === key ? before.value : null, error }));
      }
      if (end.signal.aborted) return;
      setLoading(false);
      if (everyMs !== undefined) timer = setTimeout(repeat, everyMs);
    };
    const repeat = (): void => {
      if (document.hidden || pausedAtMs.value !== null) timer = setTimeout(repeat, 1_000);
      else void once();
    };
    setLoading(true);
    void once();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [key, isOff, everyMs, tries, reads]);

  const isSame = state.key === key;
  return {
    value: isSame ? state.value : null,
    error: isSame ? state.error : null,
    isLoading,
    again: () => setTries((count) => count + 1),
  };
}
