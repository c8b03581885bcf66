// Whether a text from a child is one JSON value, and nothing beside it. Such texts are put into frames as they are, so
// a child that has broken out of its realm could write into the frames of its worker otherwise. An honest child has
// made the text with `JSON.stringify`: whatever else it is, that is no accident.
//
// As strict as the coordinator about numbers that no double can hold and about nesting: one bad payload would spoil
// its whole frame there.
//
// It makes no values and does not call itself, so it takes time in proportion to the text: about 5 ms for a million
// characters, 12 at most. `JSON.parse` takes up to 200 where a text has many small parts.

/** `result-json.ts` writes 990 at most. */
const deepestNesting = 990;
/** A number with fewer digits and a shorter exponent is finite. */
const surelyFiniteCharacters = 100;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;
const none = -1;

/** By depth, from 1: whether that container is an object. Used by one call at a time. */
const isObject = new Uint8Array(deepestNesting + 1);

export function isPayloadText(text: string): boolean {
  let depth = 0;
  let at = 0;
  for (;;) {
    // A value comes next.
    at = blankEnd(text, at);
    const code = text.charCodeAt(at);
    if (code === openBrace || code === openBracket) {
      if (depth === deepestNesting) return false;
      isObject[++depth] = code === openBrace ? 1 : 0;
      at = blankEnd(text, at + 1);
      // Both closing characters stand two after their opening ones.
      if (text.charCodeAt(at) === code + 2) {
        at++;
        depth--;
      } else {
        if (code === openBrace) at = keyEnd(text, at);
        if (at === none) return false;
        continue;
      }
    } else {
      at = scalarEnd(text, at, code);
      if (at === none) return false;
    }
    // A value has ended.
    for (;;) {
      at = blankEnd(text, at);
      if (depth === 0) return at === text.length;
      const next = text.charCodeAt(at++);
      const isInObject = isObject[depth] === 1;
      if (next === comma) {
        if (isInObject) at = keyEnd(text, blankEnd(text, at));
        if (at === none) return false;
        break;
      }
      if (next !== (isInObject ? openBrace : openBracket) + 2) return false;
      depth--;
    }
  }
}

function blankEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code > 0x20 || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) break;
    at++;
  }
  return at;
}

/** Past the colon. */
function keyEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== quote) return none;
  const end = stringEnd(text, from);
  if (end === none) return none;
  const at = blankEnd(text, end);
  return text.charCodeAt(at) === colon ? at + 1 : none;
}

function scalarEnd(text: string, at: number, code: number): number {
  if (code === quote) return stringEnd(text, at);
  if (code === 0x2d || isDigit(code)) return numberEnd(text, at);
  for (const word of words) if (text.startsWith(word, at)) return at + word.length;
  return none;
}

const words = ['null', 'true', 'false'];

function stringEnd(text: string, from: number): number {
  const { length } = text;
  let at = from + 1;
  while (at < length) {
    const code = text.charCodeAt(at++);
    if (code === quote) return at;
    if (code === backslash) {
      const escaped = text.charCodeAt(at++);
      if (escaped === 0x75) {
        for (const last = at + 4; at < last; at++) if (!isHex(text.charCodeAt(at))) return none;
      } else if (!isEscape(escaped)) return none;
    } else if (code < 0x20) return none;
  }
  return none;
}

/** `"\/bfnrt` */
function isEscape(code: number): boolean {
  if (code === quote || code === backslash || code === 0x2f || code === 0x62) return true;
  return code === 0x66 || code === 0x6e || code === 0x72 || code === 0x74;
}

function numberEnd(text: string, from: number): number {
  // The most numerous ones.
  if (isDigit(text.charCodeAt(from)) && text.charCodeAt(from + 1) === comma) return from + 1;
  let at = text.charCodeAt(from) === 0x2d ? from + 1 : from;
  if (text.charCodeAt(at) === 0x30) at++;
  else at = digitsEnd(text, at);
  let exponentDigits = 0;
  if (at !== none && text.charCodeAt(at) === 0x2e) at = digitsEnd(text, at + 1);
  if (at !== none && (text.charCodeAt(at) | 0x20) === 0x65) {
    const sign = text.charCodeAt(at + 1);
    const digitsFrom = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    at = digitsEnd(text, digitsFrom);
    exponentDigits = at - digitsFrom;
  }
  if (at === none) return none;
  const isSurelyFinite = at - from < surelyFiniteCharacters && exponentDigits < 3;
  return isSurelyFinite || Number.isFinite(Number(text.slice(from, at))) ? at : none;
}

/** There must be one at least. */
function digitsEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isDigit(text.charCodeAt(at))) at++;
  return at === from ? none : at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHex(code: number): boolean {
  const letter = code | 0x20;
  return isDigit(code) || (letter >= 0x61 && letter <= 0x66);
}
