// What holds it up, in a few sentences.

import type { TaskExplanation } from '../../../../protocol/explanations.ts';
import type { AttemptHistory } from '../../../../protocol/evaluation.ts';
import type { TaskListing } from '../../../../protocol/resources.ts';
import { Glyph } from '../../look/glyphs.tsx';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Panel } from '../../parts/panel.tsx';
import { now } from '../../store/clock.ts';
import { type JobHead, workerList } from '../../store/cluster.ts';
import { pathOfJob, read } from '../../store/endpoint.ts';
import { type Part, usePart } from '../../store/resource.ts';
import { session } from '../../store/session.ts';
import { isOpen } from '../../store/job-share.ts';
import { counted } from '../../text/words.ts';
import { holdUps } from './hold-ups.ts';

interface HoldUpsPanelProps {
  readonly head: JobHead;
  readonly attempts: Part<AttemptHistory>;
  readonly knownUntil: (nowMs: number) => number;
  readonly nameOfWorker: (id: string) => string;
  readonly isWide?: boolean;
}

const explainedEveryMs = 10_000;

export function HoldUpsPanel(props: HoldUpsPanelProps) {
  const { head, attempts, knownUntil, nameOfWorker, isWide = false } = props;
  const waits = isOpen(head) && head.counts.pending > 0;
  const explanation = usePart(
    `why ${head.id} waits`,
    async (signal) => {
      const path = `${pathOfJob(head.id)}/tasks`;
      const [next] = await read<readonly TaskListing[]>(
        path,
        { status: 'pending', limit: 1 },
        signal,
      );
      if (next === undefined) return null;
      return read<TaskExplanation>(`${path}/${next.index}/explain`, {}, signal);
    },
    { everyMs: explainedEveryMs, isOff: !waits },
  );
  const found = holdUps({
    head,
    workers: workerList.value,
    attempts: attempts.value?.attempts ?? null,
    explanation: waits ? explanation.value : null,
    nameOfWorker,
    knownMs: knownUntil(now.value),
    address: location.origin,
  });
  const runs = head.counts.running + head.counts.assigned;
  return (
    <Panel title="What holds it up" span={isWide ? 12 : 4}>
      {found.length === 0 ? (
        <p class="soft">
          {`Nothing: ${counted(runs, 'task')} ${runs === 1 ? 'runs' : 'run'}, and what waits begins as slots get free.`}
        </p>
      ) : (
        <ul class="job-holds">
          {found.map(({ id, glyph, title, text, link, command }) => (
            <li key={id}>
              <Glyph name={glyph} />
              <div class="stack">
                <p class="soft">
                  <b class="strong">{title}.</b> {text}{' '}
                  {link === undefined ? null : (
                    <a class="link reach" href={link.href}>
                      {link.text}
                    </a>
                  )}
                </p>
                {command === undefined ? null : <Command text={command} />}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Command({ text }: { readonly text: string }) {
  return (
    <>
      <CopyLine text={text} label="the command" />
      {session.value?.needs_token === true ? (
        <p class="mute">
          With a link of{' '}
          <a class="link reach" href="/connect">
            Connect a device
          </a>{' '}
          in place of the address.
        </p>
      ) : null}
    </>
  );
}
