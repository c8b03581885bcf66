// A canvas as wide as its place, drawn anew when that, the theme or what it shows changes.

import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The width of an element; 0 before it is there. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observed = element.current!;
    setWidth(observed.clientWidth);
    const observer = new ResizeObserver(() => setWidth(observed.clientWidth));
    observer.observe(observed);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Grows with each change of the theme: colours are read again. */
function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const observer = new MutationObserver(() => setChanges((count) => count + 1));
    observer.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ['data-theme'],
    });
    return () => observer.disconnect();
  }, []);
  return changes;
}

export type Tokens = (name: string) => string;

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly draw: (context: CanvasRenderingContext2D, token: Tokens) => void;
}

/** `draw` is given a clean canvas and the colours of the theme. */
export function useCanvas({ width, height, draw }: Drawing): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const changes = useThemeChanges();
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || width === 0) return;
    const ratio = Math.min(3, devicePixelRatio || 1);
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const known = new Map<string, string>();
    draw(context, (name) => {
      const value = known.get(name) ?? style.getPropertyValue(`--${name}`).trim();
      known.set(name, value);
      return value;
    });
  }, [width, height, draw, changes]);
  return canvas;
}
