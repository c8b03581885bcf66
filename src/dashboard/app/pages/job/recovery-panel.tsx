// What was saved of its progress, and what became of attempts that were lost.

import { useState } from 'preact/hooks';
import type { EvaluationMetrics } from '../../../../protocol/evaluation.ts';
import type { RecoveryEvent } from '../../../../protocol/resources.ts';
import { reasonWords } from '../../look/recovery-reasons.ts';
import { Button } from '../../parts/button.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { NotTold, Time } from '../../parts/time.tsx';
import { sentenceOf } from '../../store/endpoint.ts';
import type { Part } from '../../store/resource.ts';
import { bytes, grouped, withUnit } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { counted } from '../../text/words.ts';
import { pathOfTask } from './hold-ups.ts';

interface RecoveryPanelProps {
  readonly metrics: Part<EvaluationMetrics>;
  readonly recoveries: Part<readonly RecoveryEvent[]>;
  readonly nameOfWorker: (id: string) => string;
}

/** One device that is lost may take a hundred attempts with it. */
const fewShown = 10;

export function RecoveryPanel({ metrics, recoveries, nameOfWorker }: RecoveryPanelProps) {
  const [areAll, setAll] = useState(false);
  return (
    <Panel id="recovery" title="Checkpoints and recovery" isFlush>
      <PartOfPage part={metrics} what="the sums of this job" sentenceOf={sentenceOf} lines={1}>
        {({ checkpoints, recovery }) => (
          <p class="soft job-sum">
            {checkpoints.count === 0
              ? 'No checkpoint is kept of it.'
              : `${counted(checkpoints.count, 'checkpoint')} of ${bytes(checkpoints.bytes)} in all.`}{' '}
            {recovery.events === 0
              ? 'No attempt that had begun was lost.'
              : `${counted(recovery.events, 'attempt')} ${recovery.events === 1 ? 'was' : 'were'} lost: ${duration(recovery.work_saved_seconds)} of work saved, ${duration(recovery.wasted_seconds)} for nothing.`}
          </p>
        )}
      </PartOfPage>
      <PartOfPage part={recoveries} what="what was lost" sentenceOf={sentenceOf} lines={2}>
        {(rows) => (
          <>
            <Table
              label="Attempts that were lost"
              rows={areAll ? rows : rows.slice(0, fewShown)}
              keyOf={({ id }) => id}
              columns={columnsOf(nameOfWorker)}
              empty={<></>}
            />
            {areAll || rows.length <= fewShown ? null : (
              <p class="job-sum">
                <Button isSmall onPress={() => setAll(true)}>
                  {`Show ${grouped(rows.length)}`}
                </Button>
              </p>
            )}
          </>
        )}
      </PartOfPage>
    </Panel>
  );
}

function columnsOf(nameOfWorker: (id: string) => string): readonly Column<RecoveryEvent>[] {
  return [
    {
      id: 'task',
      head: 'Task',
      isNumber: true,
      width: '90px',
      card: 'lead',
      cell: ({ job_id: job, task_index: index }) => (
        <a class="link" href={pathOfTask(job, index)}>
          {grouped(index)}
        </a>
      ),
    },
    {
      id: 'lost',
      head: 'Lost',
      width: '100px',
      cell: ({ lost_at: at }) => <Time at={at} />,
    },
    {
      id: 'why',
      head: 'Because',
      card: 'wide',
      cell: ({ reason, from_worker_id: from }) => `${reasonWords[reason]}: ${nameOfWorker(from)}`,
    },
    {
      id: 'next',
      head: 'Went on',
      card: 'wide',
      cell: ({ outcome, to_worker_id: to, resumed_from_progress: from }) => {
        if (outcome === 'failed') return <span class="bad">not again: no attempt was left</span>;
        if (to === null) return <span class="mute">waits</span>;
        const begun =
          from === null
            ? 'from the start'
            : `from ${withUnit(String(Math.round(100 * from)), '%')}`;
        return `${outcome === 'adopted' ? 'where it was' : begun}, on ${nameOfWorker(to)}`;
      },
    },
    {
      id: 'saved',
      head: 'Saved',
      isNumber: true,
      label: 'saved',
      cell: ({ work_saved_seconds: seconds }) => (seconds > 0 ? duration(seconds) : '0'),
    },
    {
      id: 'cost',
      head: 'Lost time',
      isNumber: true,
      label: 'lost',
      cell: ({ time_lost_seconds: seconds, resumed_at: at }) =>
        at === null ? <NotTold why="It has not begun again." /> : duration(seconds),
    },
  ];
}
