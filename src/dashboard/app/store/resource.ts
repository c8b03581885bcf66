// A part of a page that is read by itself: none waits for another, and one that fails says so alone.

import { useEffect, useRef, useState } from 'preact/hooks';
import { isGone, isPassing } from './endpoint.ts';
import { pausedAtMs, partsOfBefore } from './freshness.ts';
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
  /** Read again after so long, while the page is seen and not paused. Another pause counts from the next read on. */
  readonly everyMs?: number;
  /** Nothing is read. */
  readonly isOff?: boolean;
}

const shortestPauseMs = 2_000;
const longestPauseMs = 30_000;

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
  const latestEveryMs = useRef(everyMs);
  latestEveryMs.current = everyMs;
  const isRepeated = everyMs !== undefined;
  const reads = generation.value;
  const latestReads = useRef(reads);
  // What is shown is of before the connection broke, or of another hour of a clock that was set wrong.
  const isOfBefore = useRef(false);

  useEffect(() => {
    const isNewRound = latestReads.current !== reads;
    latestReads.current = reads;
    const hasShown = state.key === key && state.value !== null;
    isOfBefore.current = hasShown && (isNewRound || isOfBefore.current);
    if (isOff) return setLoading(false);
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pauseMs = everyMs ?? shortestPauseMs;
    let isCounted = isOfBefore.current;
    if (isCounted) partsOfBefore.value++;
    const uncount = (): void => {
      if (isCounted) partsOfBefore.value--;
      isCounted = false;
    };
    const renewed = (): void => {
      isOfBefore.current = false;
      uncount();
    };
    const once = async (): Promise<void> => {
      let again = latestEveryMs.current;
      try {
        const value = await latestRead.current(end.signal);
        if (end.signal.aborted) return;
        setState({ key, value, error: null });
        pauseMs = again ?? shortestPauseMs;
        renewed();
      } catch (error) {
        if (end.signal.aborted) return;
        setState((before) => {
          const isKept = before.key === key && !isGone(error);
          return { key, value: isKept ? before.value : null, error };
        });
        // It is asked less and less often; what is old is asked for until it is new.
        pauseMs = Math.max(pauseMs, Math.min(2 * pauseMs, longestPauseMs));
        if (!isPassing(error)) renewed();
        if (again !== undefined || isOfBefore.current) again = pauseMs;
      }
      setLoading(false);
      if (again !== undefined) timer = setTimeout(repeat, again);
    };
    const repeat = (): void => {
      if (document.hidden || pausedAtMs.value !== null) timer = setTimeout(repeat, 1_000);
      else void once();
    };
    setLoading(true);
    // A page that is held stays as it is; whoever asks is answered.
    if (isNewRound && hasShown) repeat();
    else void once();
    return () => {
      end.abort();
      clearTimeout(timer);
      uncount();
    };
  }, [key, isOff, isRepeated, tries, reads]);

  const isSame = state.key === key;
  return {
    value: isSame ? state.value : null,
    error: isSame ? state.error : null,
    isLoading,
    again: () => setTries((count) => count + 1),
  };
}
