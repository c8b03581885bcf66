// Of what the agent tells, the line that a person should see.

import type { WorkerLogEntry } from '../agent.ts';

/** After these nothing that was said before is of interest. */
const allWell: ReadonlySet<string> = new Set(['connected', 'approved', 'resumed', 'frames_again']);
/** Of interest to those who look for a fault, not to the owner of a device; or shown otherwise. */
const forNobody: ReadonlySet<string> = new Set([
  'assign_repeated',
  'checkpoint_dropped',
  'disconnected',
  'frame_ignored',
  'message_ignored',
  'reports_rejected',
  'unknown_outcome',
]);

export class DeviceNotice {
  /** The newest, or null. */
  text: string | null = null;
  /** What the coordinator said when it took the device off its list. */
  removedBecause: string | null = null;

  log({ level, event, detail }: WorkerLogEntry): void {
    if (event === 'deregistered') this.removedBecause = detail;
    if (allWell.has(event)) this.text = null;
    else if (level !== 'info' && !forNobody.has(event)) this.text = detail;
  }
}
