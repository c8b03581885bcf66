// What small jobs were submitted with, kept for a while after their commit: most of them get a worker a batch or two later,
// and what was in memory a moment ago need not be read back. What is not here any more is read from the store.

import type { JobPayload } from '../../store/rows.ts';

const mostInputs = 16;
const mostCharactersOfJob = 4_096;
const mostJobs = 1_000;

export class RecentPayloads {
  /** The oldest first. */
  private readonly byJob = new Map<number, JobPayload>();

  /** Call it after the commit that the payloads came with. */
  keep(payloads: readonly JobPayload[]): void {
    for (const payload of payloads) {
      if (!isSmall(payload)) continue;
      this.byJob.set(payload.jobKey, payload);
      if (this.byJob.size <= mostJobs) continue;
      const [oldest] = this.byJob.keys();
      this.byJob.delete(oldest!);
    }
  }

  find(jobKey: number): JobPayload | undefined {
    return this.byJob.get(jobKey);
  }

  clear(): void {
    this.byJob.clear();
  }
}

/** Of a range, and of inputs that were staged, only the program came with the job. */
function isSmall({ inputs, program }: JobPayload): boolean {
  if (inputs.length > mostInputs) return false;
  const characters = inputs.reduce((sum, input) => sum + input.length, program.json.length);
  return characters <= mostCharactersOfJob;
}
