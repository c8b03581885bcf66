// What the evaluator refuses wherever it stands in a text, also in strings and comments: the look of
// `import(…)` and of the comments of HTML. Where such a place is no import and no comment, one character
// of it can be written differently.

/**
 * `<!--`, `-->`, and `import` before a bracket, a comment, or a template, in whose place there may be a
 * bracket in the end. Each match leaves the next ones visible.
 */
const dangerPattern = /<(?=!--)|-(?=->)|\bi(?=mport\s*(?:[(`]|\/[/*]))/g;

/**
 * The index of the next character to be written differently: `!`, `>` or `m`. The one before it is never
 * a backslash. Infinity when there is none.
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
