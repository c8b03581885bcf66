// The keys of the page. A page adds its own while it is shown; none works while somebody types, or when they are
// switched off.

import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hasKeys } from './preferences.ts';

export interface KeyHint {
  readonly keys: string;
  readonly does: string;
}

type Handlers = Readonly<Record<string, () => void>>;

/** `g` was pressed, and its second letter is awaited for so long. */
const secondMs = 1_200;

const layers: Handlers[] = [];
let firstAtMs = Number.NEGATIVE_INFINITY;
/** Keys that the present page knows beside those of all pages, for the help. */
export const pageKeys = signal<readonly KeyHint[]>([]);

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (!hasKeys.value || event.defaultPrevented || isTyping(event)) return;
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const isSecond = performance.now() - firstAtMs < secondMs;
    firstAtMs = Number.NEGATIVE_INFINITY;
    const name = isSecond ? `g ${event.key}` : event.key;
    if (name === 'g') {
      firstAtMs = performance.now();
      return;
    }
    const handler = layers.findLast((each) => each[name] !== undefined)?.[name];
    if (handler === undefined) return;
    event.preventDefault();
    handler();
  });
}

/** These keys work while the component is shown; those of later ones come first. */
export function useKeys(handlers: Handlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  // Whoever sees the page may press: not only after it was painted.
  useLayoutEffect(() => {
    const layer: Handlers = new Proxy<Handlers>(
      {},
      {
        get: (_target, name) => latest.current[name as string],
      },
    );
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLSelectElement) return true;
  return (
    target instanceof HTMLInputElement && !['checkbox', 'radio', 'range'].includes(target.type)
  );
}
