// Three facts about the device. What is not told is said to be not told.

import type { DeviceState } from '../../worker/browser/page-messages.ts';
import type { Place } from './states/place.ts';
import type { Fact } from './view.ts';
import { batteryLevel, capitalized, duration, warmth } from './wording.ts';

export function factsOf(state: DeviceState, { noun }: Place): readonly Fact[] {
  const felt = warmth(state.signs, state.cpuLoadPercent);
  // Before the first task it comes of something else.
  const isOfOthers = state.session.helpedMs === 0;
  const { batteryPercent, isCharging } = state.signs;
  return [
    { label: 'Helped today', value: duration(state.today.helpedMs) },
    {
      label: 'Battery',
      value: batteryPercent === null ? 'not told' : batteryLevel(batteryPercent),
      isCharging: batteryPercent !== null && isCharging === true,
    },
    {
      label: capitalized(noun),
      value: isOfOthers && felt.includes('warm') ? `${felt}, not from here` : felt,
    },
  ];
}
