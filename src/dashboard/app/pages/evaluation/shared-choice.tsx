// Of two times: the job whose tasks are compared, or all jobs.

import { setQuery } from '../../shell/address.ts';
import { nameOfJob } from '../../store/names.ts';
import { allJobs, type SharedJobs } from './shared-jobs.ts';

interface SharedChoiceProps {
  readonly jobs: SharedJobs;
  readonly chosen: string | null;
}

export function SharedChoice({ jobs, chosen }: SharedChoiceProps) {
  return (
    <label class="field evaluation-choice">
      <span>Tasks of</span>
      <select
        value={chosen ?? allJobs}
        onChange={({ currentTarget: { value } }) => setQuery({ within: value })}
      >
        {jobs.both.map(({ id }) => (
          <option key={id} value={id}>
            {nameOfJob(id)}
          </option>
        ))}
        <option value={allJobs}>all jobs</option>
      </select>
    </label>
  );
}
