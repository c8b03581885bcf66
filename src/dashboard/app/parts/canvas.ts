// A canvas as wide as its place, drawn anew when that, the theme or what it shows changes.

import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Grows with each change of the theme, and when a font has come: what was drawn before has another. */
function useLooks(): number {
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    const change = (): void => setLooks((count) => count + 1);
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    document.fonts.addEventListener('loadingdone', change);
    return () => {
      observer.disconnect();
      document.fonts.removeEventListener('loadingdone', change);
    };
  }, []);
  return looks;
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
  const looks = useLooks();
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
  }, [width, height, draw, looks]);
  return canvas;
}
