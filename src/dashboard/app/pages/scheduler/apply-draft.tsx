// Puts what is tried in force: while jobs are open it is asked first, with what it can change.

import { setQuery } from '../../shell/address.ts';
import { ask, attempt, tell } from '../../shell/asking.tsx';
import { counters, type JobHead } from '../../store/cluster.ts';
import { addressOf, differenceOf, type Setting } from './draft.ts';
import { type Chances, chancesOf, effectSentence } from './effect.ts';
import { previewOf } from './use-previews.ts';

export function openJobs(): number {
  return counters.value?.jobs.open ?? 0;
}

export function applyDraft(
  draft: Setting,
  inForce: Setting,
  waiting: readonly JobHead[],
  apply: (setting: Setting) => Promise<void>,
): Promise<unknown> {
  const put = async (): Promise<void> => {
    await apply(draft);
    setQuery(addressOf(draft, draft));
    tell({
      text: `In force: ${differenceOf(draft, inForce)}.`,
      undo: {
        text: `Back to ${draft.algorithm === inForce.algorithm ? 'the weights before' : inForce.algorithm}`,
        onUndo: () => apply(inForce),
      },
    });
  };
  const open = openJobs();
  if (open === 0) return attempt('Not applied', put);
  return chancesIn(draft, waiting).then((chances) =>
    ask({
      title: `Apply ${draft.algorithm}?`,
      body: (
        <p>
          {`${differenceOf(draft, inForce)}. ${effectSentence(chances, open)} What runs stays where it is.`}
        </p>
      ),
      action: `Apply ${draft.algorithm}`,
      keep: 'Keep what is in force',
      isDestructive: false,
      onAction: put,
    }),
  );
}

/** Each is asked for. */
const mostAsked = 4;

/** Of all that waits; null: there is too much of it, or it is not known. */
async function chancesIn(
  draft: Setting,
  waiting: readonly JobHead[],
): Promise<readonly Chances[] | null> {
  if (waiting.length > mostAsked) return null;
  const asked = waiting.map(async ({ counts, options }) => {
    const { requirements = null } = options ?? {};
    const preview = await previewOf(draft, { tasks: 1, assume: 'now', requirements });
    return chancesOf(counts.pending, preview);
  });
  return Promise.all(asked).catch(() => null);
}
