// Chooses what is evaluated: a period, the time in which an algorithm was in force, or a job.

import type { SchedulerHistoryEntry } from '../../../../client/scheduler.ts';
import { periods } from '../../parts/periods.ts';
import { coordinatorTime } from '../../store/clock.ts';
import { jobList } from '../../store/cluster.ts';
import { nameOfJob } from '../../store/names.ts';
import { capitalized, nameOf } from '../../text/words.ts';
import { nameOfSubject, type Subject, subjectOf, textOf } from './subject.ts';
import { timesInForce } from './times-in-force.ts';

interface SubjectChoiceProps {
  readonly label: string;
  readonly chosen: Subject | null;
  /** Absent: one has to be chosen. */
  readonly none?: string;
  readonly changes: readonly SchedulerHistoryEntry[];
  readonly onChoose: (subject: Subject | null) => void;
}

const mostChanges = 20;

export function SubjectChoice(props: SubjectChoiceProps) {
  const { label, chosen, none, changes, onChoose } = props;
  const value = chosen === null ? '' : textOf(chosen);
  const nowMs = coordinatorTime();
  const groups = [
    {
      label: 'Period',
      options: periods.map((period) => ({ value: period.value, text: capitalized(period.told) })),
    },
    { label: 'While in force', options: timesInForce(changes, nowMs).slice(0, mostChanges) },
    {
      label: 'Job',
      options: (jobList.value ?? []).map((job) => ({
        value: textOf({ kind: 'job', id: job.id }),
        text: nameOf(job),
      })),
    },
  ];
  const isListed = groups.some(({ options }) => options.some((each) => each.value === value));
  return (
    <label class="field evaluation-choice">
      <span>{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }) => onChoose(subjectOf(currentTarget.value))}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {isListed || chosen === null ? null : (
          <option value={value}>{capitalized(nameOfSubject(chosen, { nameOfJob, nowMs }))}</option>
        )}
        {groups
          .filter(({ options }) => options.length > 0)
          .map((group) => (
            <optgroup key={group.label} label={group.label}>
              {group.options.map((option) => (
                <option key={option.value} value={option.value}>
                  {option.text}
                </option>
              ))}
            </optgroup>
          ))}
      </select>
    </label>
  );
}
