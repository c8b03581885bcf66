// Whether a text from a child is one JSON value, and nothing beside it. Such texts are put into frames as they are, so
// a child that has broken out of its realm could write into the frames of its worker otherwise. An honest child has
// made the text with `JSON.stringify`: whatever else it is, that is no accident.
//
// As strict as the coordinator about numbers that no double can hold and about nesting: one bad payload would spoil
// its whole frame there.
//
// The text is long, and the loop that reads it also sends heartbeats. So it makes no values, does not call itself, and
// looks up what each character means by the one before: a text of many small parts takes hardly longer than one of few.
// `JSON.parse` takes ten times as long for some.

import { isFiniteNumber, isFinitePower } from './finite-number.ts';

/** `result-json.ts` writes 990 at most. */
const deepestNesting = 990;
/** A whole number with so many digits may still be finite. It is less than 309, and so no longer one is missed. */
const blockCharacters = 256;

// What a character is.
const [blank, quote, digit, zero, minus, plus, point, exponent] = [1, 2, 3, 4, 5, 6, 7, 8] as const;
const [comma, colon, openBrace, openBracket, closeBrace, closeBracket, letter] = [
  9, 10, 11, 12, 13, 14, 15,
] as const;

/** By character code; 0 is allowed in strings only. */
const kinds = new Uint8Array(128);
const kindsOf: Readonly<Record<string, number>> = {
  ' \n\r\t': blank,
  '"': quote,
  '123456789': digit,
  '0': zero,
  '-': minus,
  '+': plus,
  '.': point,
  eE: exponent,
  ',': comma,
  ':': colon,
  '{': openBrace,
  '[': openBracket,
  '}': closeBrace,
  ']': closeBracket,
  tfn: letter,
};
for (const [characters, kind] of Object.entries(kindsOf)) {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind;
}

// Where the scan is. Each is there three times: in no container, in an array, in an object.
const [wantsValue, begins, wantsKey, wantsColon, hasValue] = [0, 1, 2, 3, 4] as const;
const [afterMinus, inZero, inWhole, afterPoint, inFraction] = [5, 6, 7, 8, 9] as const;
const [afterE, afterSign, inExponent1, inExponent2, inExponent] = [10, 11, 12, 13, 14] as const;
const [afterNegative, inNegative] = [15, 16] as const;
const stateCount = 17;
const [nowhere, inArray, inObject] = [0, 1, 2] as const;

// What must be done beside going on to another state.
const doesString = 64;
const doesKey = 65;
const doesWord = 66;
const doesOpen = 67;
const doesClose = 68;
/** A number has ended that may be too large. */
const doesNumber = 69;
const fails = 255;

const transitions = new Uint8Array(3 * stateCount * 16).fill(fails);

function go(container: number, from: number, kind: number, to: number): void {
  const next = to < doesString ? container * stateCount + to : to;
  transitions[((container * stateCount + from) << 4) | kind] = next;
}

for (const container of [nowhere, inArray, inObject]) {
  const on = (from: number, kind: number, to: number) => go(container, from, kind, to);
  const onDigit = (from: number, to: number) => [digit, zero].forEach((kind) => on(from, kind, to));
  for (const from of container === inArray ? [wantsValue, begins] : [wantsValue]) {
    on(from, blank, from);
    on(from, quote, doesString);
    on(from, digit, inWhole);
    on(from, zero, inZero);
    on(from, minus, afterMinus);
    on(from, letter, doesWord);
    on(from, openBrace, doesOpen);
    on(from, openBracket, doesOpen);
  }
  on(afterMinus, digit, inWhole);
  on(afterMinus, zero, inZero);
  onDigit(inWhole, inWhole);
  for (const from of [inZero, inWhole]) on(from, point, afterPoint);
  onDigit(afterPoint, inFraction);
  onDigit(inFraction, inFraction);
  for (const from of [inZero, inWhole, inFraction]) on(from, exponent, afterE);
  on(afterE, plus, afterSign);
  on(afterE, minus, afterNegative);
  for (const from of [afterE, afterSign]) onDigit(from, inExponent1);
  onDigit(inExponent1, inExponent2);
  for (const from of [inExponent2, inExponent]) onDigit(from, inExponent);
  for (const from of [afterNegative, inNegative]) onDigit(from, inNegative);
  // What may follow on a value.
  const numbers = [inZero, inWhole, inFraction, inExponent1, inExponent2, inNegative];
  for (const from of [hasValue, ...numbers]) {
    on(from, blank, hasValue);
    if (container === inArray) on(from, comma, wantsValue);
    if (container === inObject) on(from, comma, wantsKey);
    if (container === inArray) on(from, closeBracket, doesClose);
    if (container === inObject) on(from, closeBrace, doesClose);
  }
  for (const kind of [blank, comma, closeBrace, closeBracket]) on(inExponent, kind, doesNumber);
}
for (const from of [begins, wantsKey, wantsColon]) go(inObject, from, blank, from);
for (const from of [begins, wantsKey]) go(inObject, from, quote, doesKey);
go(inObject, wantsColon, colon, wantsValue);
go(inObject, begins, closeBrace, doesClose);
go(inArray, begins, closeBracket, doesClose);

/** By depth: the container there. Used by one call at a time. */
const containers = new Uint8Array(deepestNesting + 1);

export function isPayloadText(text: string): boolean {
  const { length } = text;
  let depth = 0;
  /** The states of the container begin here. */
  let base = 0;
  let state: number = wantsValue;
  let at = 0;
  /** The whole numbers before are known to be finite. */
  let measured = 0;
  while (at < length) {
    if (state === base + inWhole && at > measured) {
      measured = numberEnd(text, at);
      if (!isFiniteNumber(text, numberBegin(text, at), measured)) return false;
    }
    const blockEnd = Math.min(length, at + blockCharacters);
    while (at < blockEnd) {
      const code = text.charCodeAt(at);
      const kind = code < 128 ? kinds[code]! : 0;
      const next = transitions[(state << 4) | kind]!;
      if (next < doesString) {
        state = next;
        at++;
        continue;
      }
      switch (next) {
        case doesString:
        case doesKey:
          at = stringEnd(text, at);
          state = base + (next === doesKey ? wantsColon : hasValue);
          break;
        case doesWord:
          at = wordEnd(text, at);
          state = base + hasValue;
          break;
        case doesOpen:
          if (depth === deepestNesting) return false;
          containers[++depth] = kind === openBrace ? inObject : inArray;
          base = containers[depth]! * stateCount;
          state = base + begins;
          at++;
          break;
        case doesClose:
          base = containers[--depth]! * stateCount;
          state = base + hasValue;
          at++;
          break;
        case doesNumber:
          if (!isFinitePower(text, at)) return false;
          state = base + hasValue;
          break;
        default:
          return false;
      }
      if (at === none) return false;
    }
  }
  if (depth > 0) return false;
  if (state === inExponent) return isFinitePower(text, length);
  if (state === inWhole && measured < length)
    return isFiniteNumber(text, numberBegin(text, length), length);
  return mayEnd(state);
}

const none = -1;

/** Whether a text may end so. */
function mayEnd(state: number): boolean {
  if (state === hasValue || state === inZero || state === inWhole || state === inFraction)
    return true;
  return state === inExponent1 || state === inExponent2 || state === inNegative;
}

/** Of the number that ends before `at`. */
function numberBegin(text: string, at: number): number {
  let begin = at;
  while (begin > 0 && isInNumber(text.charCodeAt(begin - 1))) begin--;
  return begin;
}

function numberEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && isInNumber(text.charCodeAt(end))) end++;
  return end;
}

/** Digits, `+`, `-`, `.`, `e` and `E`: none of them stands beside a number. */
function isInNumber(code: number): boolean {
  const kind = code < 128 ? kinds[code]! : 0;
  return kind >= digit && kind <= exponent;
}

const words = ['null', 'true', 'false'];

function wordEnd(text: string, at: number): number {
  for (const word of words) if (text.startsWith(word, at)) return at + word.length;
  return none;
}

const quoteCode = 0x22;
const backslash = 0x5c;

/** In a string that is shorter, looking at each character takes no longer. */
const longString = 64;

function stringEnd(text: string, from: number): number {
  const { length } = text;
  let at = from + 1;
  const quoteAt = text.indexOf('"', at);
  if (quoteAt - at >= longString && needsNoEscape(text.slice(at, quoteAt))) return quoteAt + 1;
  while (at < length) {
    const code = text.charCodeAt(at++);
    if (code === quoteCode) return at;
    if (code === backslash) {
      const escaped = text.charCodeAt(at++);
      if (escaped === 0x75) {
        for (const last = at + 4; at < last; at++) if (!isHex(text.charCodeAt(at))) return none;
      } else if (!isEscape(escaped)) return none;
    } else if (code < 0x20) return none;
  }
  return none;
}

/** Neither a control nor a backslash, nor a lone surrogate, is in it: the engine finds out much faster than a loop here. */
function needsNoEscape(text: string): boolean {
  return JSON.stringify(text).length === text.length + 2;
}

/** `"\/bfnrt` */
function isEscape(code: number): boolean {
  if (code === quoteCode || code === backslash || code === 0x2f || code === 0x62) return true;
  return code === 0x66 || code === 0x6e || code === 0x72 || code === 0x74;
}

function isHex(code: number): boolean {
  const low = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (low >= 0x61 && low <= 0x66);
}
