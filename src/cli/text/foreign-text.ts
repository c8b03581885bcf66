// Text that others have written (names, errors, messages, results) on its way to a terminal. What
// could hide, reorder or forge what a person reads there is shown as an escape, like \u202e.

// Control characters, C0 and C1; format characters (directions, zero-width ones, tags); lone
// surrogates; separators of lines and paragraphs; and whatever else is meant not to be seen. The two
// that choose between text and emoji form are left: they change no more than that.
const hidden = '[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]';
const hiddenAnywhere = new RegExp(`[${hidden}--[\\ufe0e\\ufe0f]]`, 'gv');
const hiddenInLines = new RegExp(`[${hidden}--[\\ufe0e\\ufe0f\\n]]`, 'gv');

/** For one line, or a part of it. */
export function plainText(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ').replace(hiddenAnywhere, escaped);
}

/** For text that has been divided into lines by us. JSON stays the same value. */
export function plainLines(text: string): string {
  return text.replaceAll(/[\r\t]+/g, ' ').replace(hiddenInLines, escaped);
}

/** As JSON does: a character beyond the first 65 536 is two escapes. */
function escaped(character: string): string {
  let text = '';
  for (let at = 0; at < character.length; at++) {
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return text;
}
