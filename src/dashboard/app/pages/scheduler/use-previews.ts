// Asks how the cluster would rank under a draft, shortly after its last change. Answers to what was asked before are
// dropped, whenever they come.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { SchedulerPreview } from '../../../../protocol/explanations.ts';
import { change } from '../../store/endpoint.ts';
import { pausedAtMs } from '../../store/freshness.ts';
import { generation } from '../../store/stream.ts';
import { changeTo, isSame, type Setting } from './draft.ts';

export interface AskedPreviews {
  readonly draft: Setting;
  readonly inForce: Setting;
  /** Another algorithm, with the weights of the draft. */
  readonly compared: string | null;
  readonly tasks: number;
  readonly assume: 'now' | 'idle';
  /** What a device must have for these tasks; null: nothing. */
  readonly requirements: object | null;
}

export interface Previews {
  readonly draft: SchedulerPreview;
  readonly inForce: SchedulerPreview;
  readonly compared: SchedulerPreview | null;
}

export interface PreviewsPart {
  /** The newest answer, that to an earlier question too while a new one is under way. */
  readonly value: Previews | null;
  readonly error: unknown;
  readonly again: () => void;
}

const settledMs = 120;
const againMs = 5_000;

/** `isHeld`: somebody looks closely, and nothing is asked again by itself. */
export function usePreviews(asked: AskedPreviews | null, isHeld: () => boolean): PreviewsPart {
  const [value, setValue] = useState<Previews | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [tries, setTries] = useState(0);
  const latest = useRef({ asked, isHeld });
  latest.current = { asked, isHeld };
  const key = JSON.stringify(asked);
  const reads = generation.value;

  useEffect(() => {
    if (asked === null) return;
    let isGone = false;
    let timer: ReturnType<typeof setTimeout>;
    const once = async (): Promise<void> => {
      try {
        const answers = await ask(latest.current.asked!);
        if (isGone) return;
        setValue(answers);
        setError(null);
      } catch (fault) {
        if (isGone) return;
        setError(fault);
      }
      timer = setTimeout(repeat, againMs);
    };
    const repeat = (): void => {
      const waits = document.hidden || pausedAtMs.value !== null || latest.current.isHeld();
      if (waits) timer = setTimeout(repeat, 1_000);
      else void once();
    };
    timer = setTimeout(() => void once(), value === null ? 0 : settledMs);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [key, tries, reads]);

  return { value, error, again: () => setTries((count) => count + 1) };
}

async function ask(asked: AskedPreviews): Promise<Previews> {
  const { draft, inForce, compared, tasks, assume, requirements } = asked;
  const preview = (setting: Setting): Promise<SchedulerPreview> =>
    previewOf(setting, { tasks, assume, requirements });
  const tried = preview(draft);
  const [ofDraft, ofForce, ofCompared] = await Promise.all([
    tried,
    isSame(draft, inForce) ? tried : preview(inForce),
    compared === null ? null : preview({ ...draft, algorithm: compared }),
  ]);
  return { draft: ofDraft, inForce: ofForce, compared: ofCompared };
}

export function previewOf(
  setting: Setting,
  { requirements, ...rest }: Pick<AskedPreviews, 'tasks' | 'assume' | 'requirements'>,
): Promise<SchedulerPreview> {
  return change('POST', '/api/scheduler/preview', {
    ...changeTo(setting),
    ...rest,
    ...(requirements === null ? {} : { requirements }),
  });
}
