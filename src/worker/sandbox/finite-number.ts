// Whether a number, as it is written in a JSON text, is one that a double can hold. It is exact, and makes no number:
// a text of a million such numbers costs little.

/** Whole numbers from here on are infinite: halfway between the greatest double and the next one there would be. */
const tooMuch = Uint8Array.from(String(2n ** 1024n - 2n ** 970n), (each) => each.charCodeAt(0));
/** Lists that have large numbers at all are often full of this one, for want of an infinity. */
const greatest = String(Number.MAX_VALUE);
const most = tooMuch.length;
const largestExponent = 1e9;

const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const zero = 0x30;

/** Of a number that ends at `to`, and has an exponent that is not negative. It is read from its end. */
export function isFinitePower(text: string, to: number): boolean {
  let at = to;
  let power = 0;
  for (
    let weight = 1;
    isDigit(text.charCodeAt(--at));
    weight = Math.min(largestExponent, weight * 10)
  ) {
    power += (text.charCodeAt(at) - zero) * weight;
  }
  if (text.charCodeAt(at) === plus) at--;
  const end = at;
  let whole = 0;
  for (;;) {
    const code = text.charCodeAt(--at);
    if (isDigit(code)) whole++;
    else if (code === point) whole = 0;
    else break;
  }
  let first = at + 1;
  let magnitude = whole + power;
  if (magnitude < most) return true;
  if (text.charCodeAt(first) === zero) {
    first += 2;
    magnitude = power;
    for (; first < end && text.charCodeAt(first) === zero; first++) magnitude--;
    if (first >= end) return true;
  }
  if (magnitude !== most) return magnitude < most;
  const isGreatest = to - first === greatest.length && text.startsWith(greatest, first);
  return isGreatest || isLess(text, first, end);
}

function isDigit(code: number): boolean {
  return code >= zero && code <= zero + 9;
}

/** Of any number from `from` to `to`. */
export function isFiniteNumber(text: string, from: number, to: number): boolean {
  let at = text.charCodeAt(from) === minus ? from + 1 : from;
  let first = -1;
  let pointAt = -1;
  for (; at < to; at++) {
    const code = text.charCodeAt(at);
    if ((code | 0x20) === 0x65) break;
    if (code === point) pointAt = at;
    else if (code !== zero && first < 0) first = at;
  }
  if (first < 0) return true;
  const end = at;
  if (pointAt < 0) pointAt = end;
  // The number is 0.d… times ten to the power of this, and its first digit d is none of zero.
  const magnitude =
    (first < pointAt ? pointAt - first : pointAt + 1 - first) + exponentFrom(text, end + 1, to);
  if (magnitude !== most) return magnitude < most;
  return isLess(text, first, end);
}

/** 0 where there is none. */
function exponentFrom(text: string, from: number, to: number): number {
  if (from >= to) return 0;
  const sign = text.charCodeAt(from);
  let exponent = 0;
  for (let at = sign === minus || sign === plus ? from + 1 : from; at < to; at++) {
    exponent = Math.min(largestExponent, exponent * 10 + text.charCodeAt(at) - zero);
  }
  return sign === minus ? -exponent : exponent;
}

/** Than `tooMuch`, digit by digit. Its last digit is not zero. */
function isLess(text: string, from: number, to: number): boolean {
  let place = 0;
  for (let at = from; at < to && place < most; at++) {
    const code = text.charCodeAt(at);
    if (code === point) continue;
    const limit = tooMuch[place++]!;
    if (code !== limit) return code < limit;
  }
  return place < most;
}
