// One loss: what was done there, up to the checkpoint and behind it, and where it went on.

import type { RecoveryEvent } from '../../../../protocol/resources.ts';
import { Glyph, Icon, icons } from '../../look/glyphs.tsx';
import { nameOfWorker } from '../../store/names.ts';
import { lengthsOf, told, wentOnWords } from './recovery-events.ts';

interface RecoveryPictureProps {
  readonly event: RecoveryEvent;
  /** The longest of all rows. */
  readonly mostSeconds: number;
}

export function RecoveryPicture({ event, mostSeconds }: RecoveryPictureProps) {
  const { saved, repeated } = lengthsOf(event, mostSeconds);
  const { from, to } = wentOnWords(event, nameOfWorker);
  const isLost = event.outcome === 'failed';
  return (
    <span class="recovery-picture" title={told(event, nameOfWorker)}>
      <span class="recovery-track" aria-hidden="true">
        <i class="saved" style={{ width: `${100 * saved}%` }} />
        {repeated === 0 ? null : <i class="repeated" style={{ width: `${100 * repeated}%` }} />}
      </span>
      <span class="recovery-words">
        <Worker id={event.from_worker_id} />
        {to === null ? (
          <>
            <Glyph name={isLost ? 'failed' : 'pending'} size={12} />
            <span class={isLost ? 'bad' : 'mute'}>{from}</span>
          </>
        ) : (
          <>
            <Icon path={icons.right} size={12} />
            <Worker id={event.to_worker_id!} />
            <span class="soft">{from}</span>
          </>
        )}
      </span>
    </span>
  );
}

function Worker({ id }: { readonly id: string }) {
  return (
    <a class="strong" href={`/workers/${encodeURIComponent(id)}`}>
      {nameOfWorker(id)}
    </a>
  );
}
