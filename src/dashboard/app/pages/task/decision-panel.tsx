// Why there: the decision that placed an attempt.

import type { TaskExplanation } from '../../../../protocol/explanations.ts';
import { Glyph } from '../../look/glyphs.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { grouped, measured, withUnit } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import { decisionRows } from './decision-rows.ts';

interface DecisionPanelProps {
  readonly explanation: TaskExplanation;
  readonly nameOfWorker: (id: string) => string;
}

export function DecisionPanel({ explanation, nameOfWorker }: DecisionPanelProps) {
  const { decision, decision_note: note } = explanation;
  if (decision === null) {
    return (
      <Panel title="Why there" span={7}>
        <p class="soft">{note ?? 'No decision was made for it yet.'}</p>
      </Panel>
    );
  }
  const rows = decisionRows(decision);
  const { runner_up: next } = decision;
  const used = [
    ...new Map(rows.flatMap(({ parts }) => parts).map((part) => [part.criterion, part])).values(),
  ];
  return (
    <Panel
      title="Why there"
      span={7}
      note={
        <>
          attempt {grouped(decision.attempt)}, <Time at={decision.at} />, by {decision.algorithm} in{' '}
          {withUnit(measured(decision.duration_microseconds), '\u00b5s')}
        </>
      }
    >
      <p>
        <b class="strong">{nameOfWorker(decision.worker_id)}</b>
        <span class="soft">
          {`: ${decision.reason}`}
          {decision.score === null ? '' : `, with ${measured(decision.score)}`}.
          {next === null
            ? ' No other could have taken it.'
            : ` Without it, ${nameOfWorker(next.worker_id)}${next.score === null ? '' : ` with ${measured(next.score)}`}.`}
        </span>
      </p>
      <ol class="task-ranks">
        {rows.map(({ workerId, rank, isSelected, score, parts, hindrance, told }) => (
          <li key={workerId} class={isSelected ? 'reach-row chosen' : 'reach-row'}>
            <span class="mute number">{grouped(rank)}</span>
            <a class="cut" href={`/workers/${encodeURIComponent(workerId)}`}>
              {nameOfWorker(workerId)}
            </a>
            <span
              class="task-parts"
              role="img"
              aria-label={told === '' ? 'no contributions' : told}
              title={told}
            >
              {parts.map(({ criterion, colour, share }) => (
                <i
                  key={criterion}
                  style={{ width: `${(100 * share).toFixed(2)}%`, background: colour }}
                />
              ))}
            </span>
            <span class="number">{score === null ? '' : measured(score)}</span>
            <span class="mute">{isSelected ? 'chosen' : (hindrance ?? '')}</span>
          </li>
        ))}
      </ol>
      <p class="key">
        {used.map(({ criterion, colour }) => (
          <span key={criterion}>
            <i style={{ background: colour }} />
            {criterion.replaceAll('_', ' ')}
          </span>
        ))}
        {decision.worker_count > rows.length ? (
          <span class="mute">
            {grouped(rows.length)} of {counted(decision.worker_count, 'worker')}
          </span>
        ) : null}
      </p>
    </Panel>
  );
}

interface WaitingPanelProps {
  readonly explanation: TaskExplanation;
}

/** Why it waits, worker by worker. */
export function WaitingPanel({ explanation: { waiting } }: WaitingPanelProps) {
  if (waiting === null) return null;
  const shown = waiting.workers.slice(0, 12);
  return (
    <Panel title="Why it waits" span={7} note={waiting.code.replaceAll('_', ' ')}>
      <p class="soft">{waiting.reason}</p>
      <ul class="task-waits">
        {shown.map(({ worker_id: id, name, eligible, reasons }) => (
          <li key={id}>
            <Glyph name={eligible ? 'online' : 'offline'} size={12} />
            <a class="cut" href={`/workers/${encodeURIComponent(id)}`}>
              {name ?? id}
            </a>
            <span class="mute">
              {eligible ? 'may take it now' : reasons.map(({ text }) => text).join(', ')}
            </span>
          </li>
        ))}
      </ul>
      {waiting.worker_count > shown.length ? (
        <p class="mute">
          {grouped(shown.length)} of {counted(waiting.worker_count, 'worker')}, those that are
          nearest to taking it.
        </p>
      ) : null}
    </Panel>
  );
}
