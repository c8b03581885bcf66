// How wide an element is, for what is drawn in it.

import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** `least` before it is there, while it is hidden, and where it is narrower. */
export function useWidth(element: RefObject<HTMLElement | null>, least = 0): number {
  const [width, setWidth] = useState(least);
  useLayoutEffect(() => {
    const observed = element.current!;
    const measure = (): void => setWidth(Math.max(least, observed.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(observed);
    return () => observer.disconnect();
  }, []);
  return width;
}
