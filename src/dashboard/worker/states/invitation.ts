// Before it begins: who asks for what, or why nothing can begin.

import type { KnownDevice } from '../../../worker/browser/page-messages.ts';
import { withheldNotes } from '../notes.ts';
import { forgetAction, viewOf, type Action, type View } from '../view.ts';
import { capitalized, counted } from '../wording.ts';
import type { Place } from './place.ts';

const start: Action = { label: 'Start helping', deed: 'start' };
const notNow: Action = { label: 'Not now', deed: 'not_now' };

/** While the device is asked what it knows; shown only when that takes a moment. */
export function loading(): View {
  return viewOf({ name: 'loading', headline: ['One moment'], announcement: '' });
}

export function consent(known: KnownDevice, coordinatorName: string | null, place: Place): View {
  const { noun, host } = place;
  const { slots } = known.rules;
  const isAsked = known.link?.ok === true && known.link.needsApproval;
  return viewOf({
    name: known.isMember ? 'return' : 'consent',
    tone: 'go',
    headline: known.isMember
      ? [`Let this ${noun} help `, { name: coordinatorName ?? host }, ' again?']
      : [{ name: coordinatorName ?? host }, ` asks this ${noun} to help with its calculations`],
    say:
      isAsked && !known.isMember
        ? ['Somebody there says yes first. Then it begins by itself.']
        : [],
    points: [
      {
        picture: 'clock',
        text: 'It computes while this page is open.',
        small: `At most ${counted(slots, 'task')} at a time. You can stop whenever you like.`,
      },
      {
        picture: 'lock',
        text: 'It sees nothing of yours.',
        small: 'No photos, no messages, no contacts, no location.',
      },
      {
        picture: 'battery',
        text: 'It takes power and some data.',
        small: `The ${noun} works hard, as in a game, and may get warm.`,
      },
    ],
    hasRules: true,
    notes: [...(known.kept === 0 ? [] : [keptNote(known.kept)]), ...withheldNotes(place, null)],
    askedBy: host,
    hasSettings: true,
    main: start,
    soft: [notNow],
  });
}

function keptNote(kept: number) {
  return {
    title: `${capitalized(counted(kept, 'result'))} from last time.`,
    text: `${kept === 1 ? 'It goes' : 'They go'} out as soon as you start.`,
  };
}

export function declined(place: Place): View {
  return viewOf({
    name: 'declined',
    headline: ['All right, not now'],
    say: [
      `Nothing runs on this ${place.noun}, and nothing of it is kept. You can close this page.`,
    ],
    soft: [{ label: 'I changed my mind', deed: 'reload' }],
  });
}

export function noLink(): View {
  return viewOf({
    name: 'no-link',
    headline: ['There is no invitation here'],
    say: ['Open the whole link that you were sent, or scan its code again.'],
  });
}

export function damagedLink(): View {
  return viewOf({
    name: 'damaged-link',
    headline: ['This link is not whole'],
    say: [
      'Something was lost on the way. Copy it again from its first to its last letter, or scan its code.',
    ],
  });
}

export function endedLink(place: Place): View {
  return viewOf({
    name: 'ended-link',
    headline: ['This link has ended'],
    say: ['Ask for a new one. Whoever runs ', { name: place.host }, ' can make it.'],
  });
}

export function unreadableLink(detail: string): View {
  return viewOf({
    name: 'refused-link',
    headline: ['The invitation cannot be read now'],
    say: [detail],
    main: { label: 'Try again', deed: 'reload', isQuiet: true },
  });
}

export function elsewhere(place: Place): View {
  return viewOf({
    name: 'elsewhere',
    tone: 'go',
    headline: ['Another tab helps already'],
    say: [`One is enough: it uses all that this ${place.noun} may give. You can close this page.`],
  });
}

export function forgotten(place: Place): View {
  return viewOf({
    name: 'forgotten',
    headline: ['Forgotten'],
    say: [`Nothing of Muster is left on this ${place.noun}. You can close this page.`],
  });
}

/** The one that fits what the device knows. */
export function beforeBegin(known: KnownDevice, isDamaged: boolean, place: Place): View {
  const { link } = known;
  if (known.isElsewhere) return elsewhere(place);
  if (link?.ok === true) return consent(known, link.coordinatorName, place);
  if (known.isMember)
    return { ...consent(known, known.coordinatorName, place), soft: [notNow, forgetAction] };
  if (isDamaged) return damagedLink();
  if (link === null) return noLink();
  return link.isOver ? endedLink(place) : unreadableLink(link.detail);
}
