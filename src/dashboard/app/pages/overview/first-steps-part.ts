import { useEffect, useState } from 'preact/hooks';
import type * as firstSteps from './first-steps.tsx';

type FirstSteps = typeof firstSteps;

/** What is seen only before the first device and the first job. Null while it is loaded. */
export function useFirstSteps(): FirstSteps | null {
  const [steps, setSteps] = useState<FirstSteps | null>(null);
  useEffect(() => {
    // Where it cannot be loaded the coordinator is away, and that is told at the top of the page.
    import('./first-steps.tsx').then(setSteps, () => {});
  }, []);
  return steps;
}
