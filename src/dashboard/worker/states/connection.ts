// Begun, and not at work: on the way in, or without a connection.

import type { DeviceState } from '../../../worker/browser/page-messages.ts';
import { factsOf } from '../facts.ts';
import { agentNotes } from '../notes.ts';
import { ringOf } from '../ring.ts';
import { leaveAction, pauseAction, viewOf, type View } from '../view.ts';
import { counted } from '../wording.ts';
import { helpingOf } from './helping.ts';
import type { Place } from './place.ts';

export function connecting(state: DeviceState, place: Place): View {
  const isOffline = !state.signs.isOnline;
  return viewOf({
    name: 'connecting',
    helping: helpingOf(state, place),
    hasSettings: true,
    ring: ringOf(state, [], true),
    headline: [
      isOffline ? 'No connection yet' : 'Looking for ',
      ...(isOffline ? [] : [{ name: helpingOf(state, place) }]),
    ],
    say: [
      isOffline
        ? `This ${place.noun} has no network. It begins by itself when there is one.`
        : 'It begins by itself when there is an answer.',
    ],
    notes: agentNotes(state),
    facts: factsOf(state, place),
    main: pauseAction,
    soft: [leaveAction],
    isHelping: true,
  });
}

export function waiting(state: DeviceState, place: Place): View {
  const name = helpingOf(state, place);
  return viewOf({
    name: 'waiting',
    helping: name,
    hasSettings: true,
    ring: ringOf(state, [], true),
    headline: ['Waiting to be let in'],
    say: ['Somebody at ', { name }, ' says yes or no. Leave this page open: it begins by itself.'],
    notes: agentNotes(state),
    facts: factsOf(state, place),
    soft: [leaveAction],
    isHelping: true,
  });
}

export function offline(state: DeviceState, place: Place): View {
  const { kept, tasks } = state;
  const results =
    kept === 0
      ? ''
      : ` Until then ${counted(kept, 'result')} ${kept === 1 ? 'is' : 'are'} kept here.`;
  const going =
    tasks.length === 0
      ? 'It looks for one by itself.'
      : `It goes on with the ${tasks.length === 1 ? 'task' : counted(tasks.length, 'task')} that it has.`;
  const isFleeting = kept > 0 && place.withheld.includes('storage');
  return viewOf({
    name: 'offline',
    helping: helpingOf(state, place),
    hasSettings: true,
    ring: ringOf(
      state,
      tasks.map(({ progress }) => progress),
      tasks.length === 0,
    ),
    headline: ['No connection'],
    say: [`${going}${results}${isFleeting ? ' Leave this page open until then.' : ''}`],
    notes: agentNotes(state),
    facts: factsOf(state, place),
    main: pauseAction,
    soft: [leaveAction],
    isHelping: true,
  });
}
