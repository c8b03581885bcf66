// At the end: it hands over, has handed over, or was sent away.

import type { DeviceEnd, DeviceState, Done } from '../../../worker/browser/page-messages.ts';
import { ringOf, ringOfSession } from '../ring.ts';
import { forgetAction, viewOf, type Action, type Fact, type View } from '../view.ts';
import { counted, dataVolume, digits, duration, energy } from '../wording.ts';
import { helpingOf } from './helping.ts';
import type { Place } from './place.ts';

const again: Action = { label: 'Help again', deed: 'again' };
const tryAgain: Action = { label: 'Try again', deed: 'reload' };

export function leaving(state: DeviceState, place: Place): View {
  const { tasks } = state;
  const what =
    tasks.length === 0
      ? 'The last results go out.'
      : `${tasks.length === 1 ? 'The task goes' : `The ${counted(tasks.length, 'task')} go`} to another device, which goes on from there.`;
  return viewOf({
    name: 'leaving',
    tone: 'rest',
    helping: helpingOf(state, place),
    ring: ringOf(
      state,
      tasks.map(({ progress }) => progress),
      false,
    ),
    headline: ['Handing over'],
    say: [`${what} Leave this page open for a moment.`],
  });
}

export function ended(end: DeviceEnd, coordinator: string): View {
  switch (end.why) {
    case 'left':
      return viewOf({
        ...parting(end.session),
        name: 'finished',
        tone: 'go',
        headline: [thanks(end.session)],
        say: [`${end.detail === '' ? '' : `${end.detail} `}You can close this page.`],
        main: again,
        soft: [forgetAction],
      });
    case 'removed':
      return viewOf({
        ...parting(end.session),
        name: 'removed',
        headline: ['Thank you. This device is no longer needed.'],
        say: [
          { name: coordinator },
          ' has taken it off its list. To help again, it needs a new link.',
        ],
        soft: [forgetAction],
      });
    case 'refused':
      return viewOf({
        name: 'refused',
        headline: ['It was not let in'],
        say: [end.detail === '' ? 'Ask whoever sent you the link.' : end.detail],
        main: { ...tryAgain, isQuiet: true },
        soft: [forgetAction],
      });
    case 'fault':
      return fault(end.detail);
  }
}

export function fault(detail: string): View {
  return viewOf({
    name: 'fault',
    tone: 'care',
    headline: ['It has stopped here'],
    say: ['Nothing is broken, and nothing is lost: other devices do what was begun here.'],
    notes: detail === '' ? [] : [{ title: 'What happened.', text: detail }],
    main: tryAgain,
  });
}

function parting(session: Done): { readonly ring: View['ring']; readonly facts: readonly Fact[] } {
  if (session.tasks === 0) return { ring: null, facts: [] };
  return {
    ring: ringOfSession(session),
    facts: [
      { label: 'Tasks', value: digits(session.tasks) },
      { label: 'Power', value: energy(session.energyJoules) },
      { label: 'Data', value: dataVolume(session.bytes) },
    ],
  };
}

function thanks({ helpedMs }: Done): string {
  return helpedMs < 60_000
    ? 'Thank you for your help'
    : `Thank you. You helped for ${duration(helpedMs)}.`;
}
