// What this browser withholds, what that means, and what would help: a card each, and only where it matters.

import type { DeviceState, OwnerRules, Withheld } from '../../worker/browser/page-messages.ts';
import type { Place } from './states/place.ts';
import type { Note } from './view.ts';
import { capitalized, listed } from './wording.ts';

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
  const broken: (readonly [sign: string, rule: string, help: string])[] = [];
  if (withheld.includes('battery') && (rules.onlyCharging || rules.minBatteryPercent !== null)) {
    const rule = rules.onlyCharging ? 'only while charging' : 'from this battery level';
    broken.push(['battery', `“${rule}”`, `keep the ${noun} plugged in`]);
  }
  if (withheld.includes('metered') && rules.onlyUnmetered) {
    broken.push(['network', '“only on Wi-Fi”', 'keep mobile data off']);
  }
  if (broken.length === 0) return [];
  const all = (part: 0 | 1 | 2) => capitalized(listed(broken.map((each) => each[part])));
  return [
    {
      title: `${all(0)} not known.`,
      text: `This browser does not tell, so ${all(1)} cannot be kept here.`,
      help: `${all(2)} while it helps, use a browser that tells, like Chrome, or switch the rule off.`,
    },
  ];
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
