// Reads the inputs of the draft whenever they change; what is read of an older text is given up.

import { useEffect } from 'preact/hooks';
import { draft, format, reading, source } from './draft.ts';
import { type Reading, understand, understandRange } from './understood.ts';

/** While somebody types nothing is read. */
const typedMs = 150;

export function useReading(): void {
  const { text, file, start, count } = draft.value;
  const form = format.value;
  useEffect(() => {
    if (form === 'range') {
      reading.value = start === '' && count === '' ? null : understandRange(start, count);
      return;
    }
    const given = source.value;
    reading.value = null;
    if (given === null) return;
    const end = new AbortController();
    const timer = setTimeout(() => {
      const onRead = (understood: Reading) => {
        reading.value = understood;
      };
      understand(form, given, { signal: end.signal, onRead }).then(onRead, () => {
        // Given up: something else is read by now.
      });
    }, typedMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [text, file, form, form === 'range' ? `${start}:${count}` : '']);
}
