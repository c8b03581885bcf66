// What is drawn anew every few seconds moves nothing below it: its place gets higher, and lower only after a press in
// it, for another subject, or when its width changes.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface KeptHeightProps {
  readonly children: ComponentChildren;
  /** Names what is shown. */
  readonly subject?: string;
}

export function KeptHeight({ children, subject = '' }: KeptHeightProps) {
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [place, content] = [outer.current!, inner.current!];
    let [width, most] = [0, 0];
    const forget = (): void => {
      most = 0;
    };
    const observer = new ResizeObserver(() => {
      if (content.offsetWidth !== width) most = 0;
      width = content.offsetWidth;
      most = Math.max(most, content.offsetHeight);
      place.style.minHeight = `${most}px`;
    });
    observer.observe(content);
    place.addEventListener('click', forget);
    return () => {
      observer.disconnect();
      place.removeEventListener('click', forget);
    };
  }, [subject]);
  return (
    <div ref={outer} class="kept">
      <div ref={inner}>{children}</div>
    </div>
  );
}
