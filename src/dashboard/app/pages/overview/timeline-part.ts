// Where there is room for a third column it is the Timeline: loaded when a page is first that wide.

import { useEffect, useState } from 'preact/hooks';
import type * as timelinePanel from './timeline-panel.tsx';

type TimelinePart = typeof timelinePanel;

const wide = matchMedia('(min-width: 2000px)');

/** Null on pages that are narrower, and while it is loaded. */
export function useTimelinePart(): TimelinePart | null {
  const [isWide, setWide] = useState(wide.matches);
  const [part, setPart] = useState<TimelinePart | null>(null);
  useEffect(() => {
    const change = (): void => setWide(wide.matches);
    wide.addEventListener('change', change);
    return () => wide.removeEventListener('change', change);
  }, []);
  useEffect(() => {
    // Where it cannot be loaded the coordinator is away, and that is told at the top of the page.
    if (isWide) import('./timeline-panel.tsx').then(setPart, () => {});
  }, [isWide]);
  return isWide ? part : null;
}
