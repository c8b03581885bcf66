// What this browser withholds, what that means, and what would help: a card each, and only where it matters.

import type { DeviceState, OwnerRules, Withheld } from '../../worker/browser/page-messages.ts';
import type { Place } from './states/place.ts';
import type { Note } from './view.ts';

/** The newest line of the agent that a person should see. */
export function agentNotes({ notice }: DeviceState): readonly Note[] {
  return notice === null ? [] : [{ title: '', text: notice }];
}

/** `state`: null before it begins, when no rule is in force yet. */
export function withheldNotes(place: Place, state: DeviceState | null): readonly Note[] {
  const { withheld } = place;
  // Without HTTPS a browser gives nearly nothing: one reason is enough.
  const insecure = withheld.includes('secure_context') ? [insecureNote(place)] : [];
  const storage = withheld.includes('storage') ? [storageNote] : [];
  if (insecure.length > 0 || state === null) return [...insecure, ...storage];
  return [
    ...(withheld.includes('wake_lock') && place.isHandheld ? [sightNote(place)] : []),
    ...storage,
    ...brokenRules(withheld, state.rules, place),
  ];
}

/** Beside a rule, where it is set: that it cannot be kept here. Empty when it can. */
export function ruleCaveat(
  rule: 'charging' | 'battery' | 'metered',
  withheld: readonly Withheld[],
): string {
  if (!withheld.includes(rule === 'metered' ? 'metered' : 'battery')) return '';
  return rule === 'metered'
    ? 'This browser does not tell what network it is on: this cannot be kept here.'
    : 'This browser does not tell the battery: this cannot be kept here.';
}

function brokenRules(
  withheld: readonly Withheld[],
  rules: OwnerRules,
  { noun }: Place,
): readonly Note[] {
  const isBatteryRule = rules.onlyCharging || rules.minBatteryPercent !== null;
  const batteryRule = rules.onlyCharging ? '“only while charging”' : '“from this battery level”';
  const unknown = [
    withheld.includes('battery') && isBatteryRule
      ? { what: 'Battery', rule: batteryRule, help: `Keep the ${noun} plugged in` }
      : null,
    withheld.includes('metered') && rules.onlyUnmetered
      ? { what: 'Network', rule: '“only on Wi-Fi”', help: 'Switch mobile data off' }
      : null,
  ].filter((each) => each !== null);
  if (unknown.length === 0) return [];
  const joined = (part: 'what' | 'rule' | 'help') =>
    unknown
      .map((each, i) => (i === 0 || part === 'rule' ? each[part] : lowered(each[part])))
      .join(' and ');
  return [
    {
      title: `${joined('what')} not known.`,
      text: `This browser does not tell, so ${joined('rule')} cannot be kept here.`,
      help: `${joined('help')} while it helps, or use a browser that tells, like Chrome on Android. Without the rule, this card goes away.`,
    },
  ];
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function sightNote({ noun }: Place): Note {
  return {
    title: 'Keep this page in front.',
    text: `This ${noun} stops pages that are out of sight, and this browser cannot keep the screen on. Tasks are saved on the way.`,
    help: `In the settings of the ${noun}, let the screen stay on for longer while it charges; or use a newer browser.`,
  };
}

const storageNote: Note = {
  title: 'Nothing can be kept here.',
  text: 'Results that have not gone out are lost when this page is closed.',
  help: 'A private window is the usual reason: open the link in an ordinary one. Else the disk may be full, or this site forbidden to keep anything.',
};

function insecureNote({ noun }: Place): Note {
  return {
    title: 'This address is not secure.',
    text: `It begins with http, so the browser does not tell the battery, cannot keep the screen on, and cannot open this page without a network.`,
    help: `Ask for a link that begins with https. Until then, keep the ${noun} plugged in and this page in front.`,
  };
}
