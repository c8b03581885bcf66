// Connected: it works, or waits for work. Gently, where the browser withholds something that matters.

import type { DeviceState, TaskView } from '../../../worker/browser/page-messages.ts';
import { factsOf } from '../facts.ts';
import { agentNotes, withheldNotes } from '../notes.ts';
import { ringOf } from '../ring.ts';
import { leaveAction, pauseAction, viewOf, type Piece, type View } from '../view.ts';
import { counted, endsWhen, moment, ownersOf } from '../wording.ts';
import { helpingOf } from './helping.ts';
import type { Place } from './place.ts';

export function working(state: DeviceState, place: Place): View {
  const { tasks } = state;
  const isGentle = withheldNotes(place, state).length > 0;
  const count = tasks.length === 0 ? '' : ` on ${counted(tasks.length, 'task')}`;
  return viewOf({
    ...atWork(state, place),
    name: 'working',
    ring: ringOf(
      state,
      tasks.map(({ progress }) => progress),
      false,
    ),
    headline: [isGentle ? 'Working, but gently' : `Working${count}`],
    announcement: isGentle ? 'Working, but gently' : 'Working',
    say: [...forWhom(tasks), ...sentence(endsWhen(tasks)), ...onBattery(state, place)],
  });
}

export function idle(state: DeviceState, place: Place): View {
  const { isDrained } = state;
  return viewOf({
    ...atWork(state, place),
    name: isDrained ? 'drained' : 'idle',
    ring: ringOf(state, [], true),
    headline: [isDrained ? 'Nothing new for now' : 'Ready. No fitting task right now.'],
    say: [
      ...(isDrained
        ? ['Whoever runs ', { name: helpingOf(state, place) }, ' gives it no new tasks. ']
        : ['The next that fits starts by itself. ']),
      place.isHandheld
        ? `You can leave the ${place.noun} on the table.`
        : 'You can leave this page open.',
      ...onBattery(state, place),
    ],
  });
}

function atWork(state: DeviceState, place: Place): Partial<View> {
  const notes = withheldNotes(place, state);
  return {
    tone: notes.length > 0 ? 'care' : 'go',
    helping: helpingOf(state, place),
    hasSettings: true,
    notes: [...agentNotes(state), ...notes],
    facts: factsOf(state, place),
    main: pauseAction,
    soft: [leaveAction],
    isHelping: true,
  };
}

/** Owners are told where there are several: one who asks for itself is named above already. */
function forWhom(tasks: readonly TaskView[]): readonly Piece[] {
  const owners = ownersOf(tasks);
  if (tasks.length === 0) return ['The next task is on its way.'];
  const [first, second] = owners;
  if (first === undefined) return [];
  if (second === undefined) return ['For ', { name: first }, '. '];
  if (owners.length > 2)
    return [`For ${counted(owners.length, 'person').replace('persons', 'people')}. `];
  return ['For ', { name: first }, ' and ', { name: second }, '. '];
}

function onBattery({ ignoresBatteryUntilMs }: DeviceState, { nowMs }: Place): readonly Piece[] {
  if (ignoresBatteryUntilMs === null || ignoresBatteryUntilMs <= nowMs) return [];
  return [` On battery until ${moment(ignoresBatteryUntilMs, nowMs)}, as you allowed.`];
}

function sentence(text: string): readonly Piece[] {
  return text === '' ? [] : [text];
}
