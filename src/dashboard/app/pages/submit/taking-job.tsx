// While a job that was submitted is read back, to be changed and submitted again.

import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Bones } from '../../parts/panel.tsx';
import { setQuery } from '../../shell/address.ts';
import { tell } from '../../shell/asking.tsx';
import { sentenceOf } from '../../store/endpoint.ts';
import { grouped } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import { draft, isBlank } from './draft.ts';
import { takeJobAgain } from './job-again.ts';

/** The form comes back as soon as the address names no job: then it is in it, or was given up. */
const leave = (): void => setQuery({ again: null });

export function TakingJob({ id }: { readonly id: string }) {
  const [progress, setProgress] = useState({ count: 0, of: 0 });
  useEffect(() => {
    const end = new AbortController();
    const before = isBlank.value ? null : draft.value;
    const onRead = (count: number, of: number) => setProgress({ count, of });
    takeJobAgain(id, { signal: end.signal, onRead }).then(
      () => {
        leave();
        if (before === null) return;
        const onUndo = async (): Promise<void> => {
          draft.value = before;
        };
        tell({ text: 'What was in the form was replaced.', undo: { text: 'Back', onUndo } });
      },
      (error: unknown) => {
        if (end.signal.aborted) return;
        tell({ text: `Not taken: the job. ${sentenceOf(error)}`, isFault: true });
        leave();
      },
    );
    return () => end.abort();
  }, [id]);
  const { count, of } = progress;
  return (
    <>
      <h1 class="lede">The job is read.</h1>
      <p class="row" role="status">
        {count === 0 ? null : (
          <span class="mute">{`${grouped(count)} of ${counted(of, 'input')}`}</span>
        )}
        <Button isSmall onPress={leave}>
          Stop
        </Button>
      </p>
      <Bones lines={8} />
    </>
  );
}

/** From where the draft is, and what it lacks of that. */
export function OriginLine() {
  const { origin } = draft.value;
  if (origin === null) return null;
  return (
    <p class="soft">
      As{' '}
      <a class="link" href={`/jobs/${encodeURIComponent(origin.id)}`}>
        {origin.name}
      </a>
      , to be changed. It makes a new job, which does all tasks anew: what that one has completed
      does not count. {origin.lacks === '' ? null : <span class="warn">{origin.lacks}</span>}
    </p>
  );
}
