import type { DeviceState } from '../../../worker/browser/page-messages.ts';
import type { Place } from './place.ts';

/** Whom it helps: the name that the coordinator was given, else its address. */
export function helpingOf({ coordinatorName }: DeviceState, { host }: Place): string {
  return coordinatorName ?? host;
}
