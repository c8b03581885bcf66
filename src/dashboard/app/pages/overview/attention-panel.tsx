// What needs attention, with the way out of each. What was put aside comes back when it changes.

import { useRef, useState } from 'preact/hooks';
import { Glyph, Icon, icons } from '../../look/glyphs.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Bones, Panel } from '../../parts/panel.tsx';
import { attempt, tell } from '../../shell/asking.tsx';
import { coordinatorTime } from '../../store/clock.ts';
import { change, pathOfJob } from '../../store/endpoint.ts';
import { grouped } from '../../text/numbers.ts';
import { clock } from '../../text/times.ts';
import { counted } from '../../text/words.ts';
import type { Attention, WayOut } from './attention.ts';
import { putAside, takeBack } from './put-aside.ts';

const mostShown = 7;

interface AttentionPanelProps {
  /** Null: not known yet. */
  readonly all: readonly Attention[] | null;
  readonly shown: readonly Attention[];
}

export function AttentionPanel({ all, shown }: AttentionPanelProps) {
  const [isWhole, setWhole] = useState(false);
  const wellSince = useRef<Date | null>(null);
  if (all === null || shown.length > 0) wellSince.current = null;
  else wellSince.current ??= new Date(coordinatorTime());
  const seen = isWhole ? shown : shown.slice(0, mostShown);
  const left = shown.length - seen.length;
  const aside = (all?.length ?? 0) - shown.length;
  return (
    <Panel
      title="Needs attention"
      note={shown.length === 0 ? undefined : grouped(shown.length)}
      span={4}
      class="overview-attention"
      isFlush
    >
      {all === null ? <Bones lines={3} /> : null}
      {wellSince.current === null ? null : (
        <p class="overview-well">{`All is well since ${clock(wellSince.current).slice(0, 5)}.`}</p>
      )}
      <ul>
        {seen.map((one) => (
          <li key={one.key}>
            <Glyph name={one.glyph} size={16} />
            <div class="overview-trouble">
              <b>{one.title}</b>
              <span class="soft">{one.why}</span>
            </div>
            <div class="overview-way">
              {one.wayOut === null ? null : <Way out={one.wayOut} of={one.title} />}
              <button
                type="button"
                class="overview-aside"
                aria-label={`Put aside: ${one.title}`}
                title="Put aside until it changes"
                onClick={() => putAside(one, all ?? [])}
              >
                <Icon path={icons.close} size={12} />
              </button>
            </div>
          </li>
        ))}
      </ul>
      {left === 0 && aside === 0 ? null : (
        <p class="overview-more">
          {left === 0 ? null : (
            <button type="button" class="link reach" onClick={() => setWhole(true)}>
              {`${grouped(left)} more`}
            </button>
          )}
          {aside === 0 ? null : (
            <button type="button" class="link reach" onClick={takeBack}>
              {`${grouped(aside)} put aside: show again`}
            </button>
          )}
        </p>
      )}
    </Panel>
  );
}

function Way({ out, of }: { readonly out: WayOut; readonly of: string }) {
  const label = `${out.text}: ${of}`;
  if (out.kind === 'link') {
    return (
      <ButtonLink isSmall href={out.href} label={label}>
        {out.text}
      </ButtonLink>
    );
  }
  const retry = (): Promise<boolean> =>
    attempt('Not retried', async () => {
      const { task_count: count } = await change<{ readonly task_count: number }>(
        'POST',
        `${pathOfJob(out.jobId)}/retry`,
      );
      tell({ text: `The failed ones of ${counted(count, 'task')} wait again.` });
    });
  return (
    <Button isSmall label={label} onPress={retry}>
      {out.text}
    </Button>
  );
}
