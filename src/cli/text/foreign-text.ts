// Makes text that others have written (names, errors, messages, results) safe for a terminal. Characters
// that could hide, reorder or forge text there are shown as an escape, like \u202e.

// Control characters, C0 and C1; format characters (directions, zero-width ones, tags); lone
// surrogates; separators of lines and paragraphs; and all others that are invisible by definition.
// The two that select between text and emoji form stay: they change nothing else.
const hidden = '[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]';
const hiddenAnywhere = new RegExp(`[${hidden}--[\\ufe0e\\ufe0f]]`, 'gv');
const hiddenInLines = new RegExp(`[${hidden}--[\\ufe0e\\ufe0f\\n]]`, 'gv');

/** For a text that is one line or a part of a line. */
export function plainText(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ').replace(hiddenAnywhere, escaped);
}

/** For a text that this program has divided into lines. JSON keeps its value. */
export function plainLines(text: string): string {
  return text.replaceAll(/[\r\t]+/g, ' ').replace(hiddenInLines, escaped);
}

/** Escapes as JSON does: a character above U+FFFF becomes two escapes. */
function escaped(character: string): string {
  let text = '';
  for (let at = 0; at < character.length; at++) {
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return text;
}
