// Danger words: texts that the evaluator refuses anywhere in a source, also in strings and comments. They
// look like `import(…)` or like a comment of HTML. Where one is neither an import nor a comment, one of
// its characters can be written differently.

/**
 * `<!--`, `-->`, and `import` before a bracket, a comment or a template (which may become a bracket).
 * A match is one character long, so that overlapping ones are found too.
 */
const dangerPattern = /<(?=!--)|-(?=->)|\bi(?=mport\s*(?:[(`]|\/[/*]))/g;

/**
 * The index of the next character to be written differently: `!`, `>` or `m`; Infinity when there is
 * none. The character before it is never a backslash.
 */
export function nextDanger(source: string, from: number): number {
  dangerPattern.lastIndex = from;
  const match = dangerPattern.exec(source);
  return match === null ? Infinity : match.index + (match[0] === '-' ? 2 : 1);
}

/** The same character as an escape, for names, strings and templates. */
export function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A string literal with this value. */
export function literalOf(value: string): string {
  const json = JSON.stringify(value);
  let text = '';
  let at = 0;
  for (let i = nextDanger(json, 0); i < json.length; i = nextDanger(json, i)) {
    text += json.slice(at, i) + escaped(json.charAt(i));
    at = i + 1;
  }
  return text + json.slice(at);
}
