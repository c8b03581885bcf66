// Nothing runs, because of a rule, a page out of sight, or a hand. Never said to rest while tasks still run.

import type { DeviceState } from '../../../worker/browser/page-messages.ts';
import { factsOf } from '../facts.ts';
import { agentNotes } from '../notes.ts';
import { ringOf } from '../ring.ts';
import { leaveAction, pauseAction, rulesAction, viewOf, type Action, type View } from '../view.ts';
import { batteryLevel, capitalized, clockTime, counted, moment, savedAt } from '../wording.ts';
import { helpingOf } from './helping.ts';
import type { Place } from './place.ts';

type Rest = NonNullable<DeviceState['rest']>;

interface Because {
  readonly headline: string;
  readonly why: string;
  readonly main: Action;
  readonly soft: readonly Action[];
}

const goOn: Action = { label: 'Go on', deed: 'go_on' };
const onBattery: Action = {
  label: 'Help on battery for an hour',
  deed: 'ignore_battery',
  isQuiet: true,
};
const changeRules: Action = { ...rulesAction, isQuiet: true };

export function resting(state: DeviceState, rest: Rest, place: Place): View {
  const because = becauseOf(state, rest, place);
  const progress = rest.isSettling ? state.tasks.map((task) => task.progress) : rest.saved;
  return viewOf({
    name: rest.because === 'paused' ? 'paused' : 'resting',
    tone: 'rest',
    helping: helpingOf(state, place),
    hasSettings: true,
    ring: ringOf(state, progress, !rest.isSettling),
    headline: [rest.isSettling ? 'Coming to rest' : because.headline],
    say: [
      rest.isSettling
        ? settling(state, because)
        : `${because.why} ${savedAt(rest.saved)}`.trimEnd(),
    ],
    notes: agentNotes(state),
    facts: factsOf(state, place),
    main: because.main,
    soft: because.soft,
  });
}

function settling({ tasks }: DeviceState, { why }: Because): string {
  const many = `${counted(tasks.length, 'task')} ${tasks.length === 1 ? 'stops' : 'stop'}`;
  const first =
    tasks.length === 0 ? 'What runs is being saved' : `${capitalized(many)} at the next safe point`;
  return `${first}, so that nothing is lost. ${why}`;
}

function becauseOf(state: DeviceState, rest: Rest, place: Place): Because {
  const { rules } = state;
  const plugged = { main: onBattery, soft: [rulesAction, leaveAction] };
  const ruled = { main: changeRules, soft: [leaveAction] };
  switch (rest.because) {
    case 'paused':
      return {
        headline: 'Paused',
        why: 'It rests until you tap “Go on”.',
        main: goOn,
        soft: [leaveAction],
      };
    case 'charging':
      return {
        headline: 'Resting until it is plugged in',
        why: 'You asked it to help only while charging.',
        ...plugged,
      };
    case 'battery': {
      const level = rules.minBatteryPercent;
      return {
        headline:
          level === null
            ? 'Resting until the battery is fuller'
            : `Resting until the battery is at ${batteryLevel(level)}`,
        why: 'You asked it to spare the battery. It goes on at once when it is plugged in.',
        ...plugged,
      };
    }
    case 'metered':
      return {
        headline: 'Resting until there is Wi-Fi',
        why: 'You asked it to help only where data costs nothing.',
        ...ruled,
      };
    case 'hours':
      return { headline: hoursHeadline(state, rest, place), why: hoursWhy(state), ...ruled };
    case 'hidden':
      return {
        headline: 'Resting while it is out of sight',
        why: 'It goes on when this page is in front.',
        main: pauseAction,
        soft: [leaveAction],
      };
  }
}

function hoursHeadline({ rules }: DeviceState, { untilMs }: Rest, { nowMs }: Place): string {
  if (untilMs !== null) return `Resting until ${moment(untilMs, nowMs)}`;
  return rules.hours === null ? 'Resting' : `Resting until ${clockTime(rules.hours.fromMinute)}`;
}

function hoursWhy({ rules: { hours } }: DeviceState): string {
  if (hours === null) return 'You asked it to help only at certain hours.';
  return `You asked it to help only from ${clockTime(hours.fromMinute)} to ${clockTime(hours.toMinute)}.`;
}
