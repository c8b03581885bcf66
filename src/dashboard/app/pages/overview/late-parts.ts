// Parts of the page that are not always seen, each loaded when it first is. Null before that.

import { useEffect, useState } from 'preact/hooks';
import { takeNewBuild } from '../../shell/new-build.ts';

function useLate<T>(load: () => Promise<T>, isSeen = true): T | null {
  const [part, setPart] = useState<T | null>(null);
  useEffect(() => {
    // Where it cannot be loaded the coordinator is away, which is told at the top of the page, or was updated.
    if (isSeen) load().then(setPart, takeNewBuild);
  }, [isSeen]);
  return isSeen ? part : null;
}

/** What is seen only before the first device and the first job. */
export const useFirstSteps = () => useLate(() => import('./first-steps.tsx'));

/** Where there are more devices than have room for their slots. */
export const useManyDevices = () => useLate(() => import('./many-devices.tsx'));

/** Where there is room for a third column it is the Timeline. The page is drawn each second: it need not listen. */
export const useTimeline = () =>
  useLate(() => import('../timeline/timeline-page.tsx'), innerWidth >= 2_000);
