// Who has just joined, newest on top but held under the pointer, and who waits for an answer.

import { useRef, useState } from 'preact/hooks';
import { KindGlyph, State } from '../../look/glyphs.tsx';
import { deviceKindOf } from '../../look/states.ts';
import { stateOf } from '../../text/worker-states.ts';
import { Button } from '../../parts/button.tsx';
import { holdOrder } from '../../parts/held-order.ts';
import { Empty, Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { now } from '../../store/clock.ts';
import { type Worker, workerList } from '../../store/cluster.ts';
import { counted, nameOf } from '../../text/words.ts';
import { askToRefuse, letIn } from '../workers/worker-actions.tsx';
import { claimsOf, isBy, newcomersOf, sinceOf } from './newcomers.ts';

const freshMs = 20_000;

export function NewcomerList({ linkId }: { readonly linkId: string | null }) {
  const { waiting, joined } = newcomersOf(workerList.value ?? [], linkId, now.value);
  const all = [...waiting, ...joined];
  const list = useRef<HTMLOListElement>(null);
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const wanted = all.map(({ id }) => id);
  const { shown, moved } = holdOrder(held, wanted);
  const hold = (): void => setHeld((before) => before ?? wanted);
  const release = (): void => {
    const element = list.current;
    if (element?.matches(':hover') || element?.contains(document.activeElement)) return;
    setHeld(null);
  };
  return (
    <Panel
      title={linkId === null ? 'Who joined last' : 'Joined by this link, and of late'}
      note={
        waiting.length === 0 ? undefined : `${counted(waiting.length, 'waits', 'wait')} for you`
      }
      span={5}
      class="connect-newcomers"
      isFlush
    >
      <div hidden={moved === 0} class="connect-moved">
        <Button isSmall onPress={() => setHeld(wanted)}>
          {`${counted(moved, 'device')} would move: show now`}
        </Button>
      </div>
      {shown.length === 0 ? (
        <Empty>Nobody yet. Whoever joins appears here by itself.</Empty>
      ) : (
        <ol
          ref={list}
          class="connect-joined"
          aria-live="polite"
          onPointerEnter={hold}
          onPointerLeave={() => setTimeout(release)}
          onFocusIn={hold}
          onFocusOut={() => setTimeout(release)}
        >
          {shown.map((id) => {
            const worker = all.find((each) => each.id === id)!;
            return waiting.includes(worker) ? (
              <Waiting key={id} worker={worker} />
            ) : (
              <Joined key={id} worker={worker} linkId={linkId} />
            );
          })}
        </ol>
      )}
    </Panel>
  );
}

function Waiting({ worker }: { readonly worker: Worker }) {
  return (
    <li class="waits">
      <Kind worker={worker} />
      <span class="who">
        <b class="cut">{nameOf(worker)}</b>
        <small>{`asks to join, says it is: ${claimsOf(worker)}`}</small>
      </span>
      <span class="row">
        <Button
          kind="primary"
          isSmall
          onPress={() => letIn(worker)}
          label={`Let in ${nameOf(worker)}`}
        >
          Let in
        </Button>
        <Button isSmall onPress={() => askToRefuse(worker)} label={`Refuse ${nameOf(worker)}`}>
          Refuse…
        </Button>
      </span>
    </li>
  );
}

interface JoinedProps {
  readonly worker: Worker;
  readonly linkId: string | null;
}

function Joined({ worker, linkId }: JoinedProps) {
  const isFresh = now.value - Date.parse(worker.registered_at) < freshMs;
  return (
    <li class={isFresh ? 'reach-row fresh' : 'reach-row'}>
      <Kind worker={worker} />
      <span class="who">
        <a class="cut" href={`/workers/${encodeURIComponent(worker.id)}`}>
          <b>{nameOf(worker)}</b>
        </a>
        <small>
          joined <Time at={worker.registered_at} isAgo />
          {` · ${sinceOf(worker)}${linkId === null || isBy(worker, linkId) ? '' : ' · not by this link'}`}
        </small>
      </span>
      <State name={stateOf(worker)} />
    </li>
  );
}

function Kind({ worker }: { readonly worker: Worker }) {
  return (
    <span class="kind">
      <KindGlyph kind={deviceKindOf(worker.type)} />
    </span>
  );
}
