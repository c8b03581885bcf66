// The width that a picture may take.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const before = 640;

export function useWidth(): {
  readonly box: { readonly current: HTMLDivElement | null };
  readonly width: number;
} {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(before);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => setWidth(Math.max(240, Math.floor(element.clientWidth)));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return { box, width };
}
