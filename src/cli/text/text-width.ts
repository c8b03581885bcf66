// How many columns of a terminal a text takes: East Asian characters and emoji take two, marks that sit on the
// character before them none. Emoji of several parts are counted part by part, as most terminals show them; the
// few that show them as one leave a gap, and no line gets too long.

import { withoutColors } from './colors.ts';

export function widthOf(text: string): number {
  const shown = withoutColors(text);
  if (plain.test(shown)) return shown.length;
  let columns = 0;
  let last = 0;
  for (const character of shown) {
    last = widthAfter(character, last);
    columns += last;
  }
  return columns;
}

/** The beginning of a text in so many columns, with a mark where something is cut off. Colours go then. */
export function cutToWidth(text: string, columns: number, mark = '…'): string {
  if (widthOf(text) <= columns) return text;
  const room = columns - widthOf(mark);
  let kept = '';
  let taken = 0;
  let last = 0;
  for (const character of withoutColors(text)) {
    last = widthAfter(character, last);
    if (taken + last > room) break;
    taken += last;
    kept += character;
  }
  return kept + mark;
}

/** `last` is the width of the character before. */
function widthAfter(character: string, last: number): number {
  // It makes an emoji of a narrow character before it.
  if (character === '\ufe0f') return last === 1 ? 1 : 0;
  if (none.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

const plain = /^[\x20-\x7e]*$/;

/** Marks, and the vowels and finals that complete a Korean syllable. */
const none = /^[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]/u;

/**
 * `W` and `F` in EastAsianWidth.txt of the Unicode Character Database (version 17). Emoji are told by their own
 * property; of the rest the ranges are drawn together over what is not assigned.
 */
const wide = new RegExp(
  [
    '[[\\p{Emoji_Presentation}--\\p{Regional_Indicator}]',
    '\\u1100-\\u115f\\u2329\\u232a\\u2630-\\u2637\\u268a-\\u268f\\u2e80-\\u303e\\u3041-\\u3247\\u3250-\\ua4cf',
    '\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6',
    '\\u{16fe0}-\\u{18dff}\\u{1aff0}-\\u{1b2ff}\\u{1d300}-\\u{1d356}\\u{1d360}-\\u{1d376}\\u{1f200}-\\u{1f265}',
    '\\u{20000}-\\u{3fffd}]',
  ].join(''),
  'v',
);
