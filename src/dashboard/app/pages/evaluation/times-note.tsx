// Below two times: why they hardly differ, and the way back to what was in force before.

import type { SchedulerHistoryEntry } from '../../../../client/scheduler.ts';
import type { SchedulingInfo } from '../../../../protocol/scheduling-info.ts';
import { read } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { isAdmin } from '../../store/session.ts';
import { whySame } from './why-same.ts';

const againMs = 15_000;

interface TimesNoteProps {
  readonly changes: readonly SchedulerHistoryEntry[];
  readonly areSame: boolean;
}

export function TimesNote({ changes, areSame }: TimesNoteProps) {
  const { value } = usePart(
    'scheduling-info',
    (signal) => read<SchedulingInfo>('/api/scheduling-info', {}, signal),
    { everyMs: againMs, isOff: !areSame },
  );
  const why = areSame && value !== null ? whySame(value) : null;
  const [present, before] = changes;
  const isOther = isAdmin.value && before !== undefined && before.algorithm !== present!.algorithm;
  if (why === null && !isOther) return null;
  return (
    <p class="soft">
      {why}{' '}
      {isOther ? (
        <a class="link reach" href={`/scheduler?algorithm=${before.algorithm}`}>
          {`Back to ${before.algorithm}\u2026`}
        </a>
      ) : null}
    </p>
  );
}
