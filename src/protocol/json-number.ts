// Numbers in a JSON text, byte by byte: where one ends, and whether it is finite. Written down in full
// there is no largest number, but there is a largest double.

const zero = 0x30;
const nine = 0x39;
const point = 0x2e;
const minus = 0x2d;
const plus = 0x2b;

/** The largest double is 1.797…e308. */
const largestExponent = 308;
/** Further digits cannot move a number across the border between the largest double and infinity. */
const decisiveDigits = 800;

/**
 * The end of the number that begins at `at` with a digit or a minus. When it is no number, `-1 - p`, where
 * `p` is the position of the first byte that does not belong there.
 */
export function numberEnd(bytes: Uint8Array, at: number, end: number): number {
  let next = bytes[at] === minus ? at + 1 : at;
  if (next < end && bytes[next] === zero) next++;
  else {
    const from = next;
    next = digitsEnd(bytes, next, end);
    if (next === from) return -1 - next;
  }
  if (next < end && bytes[next] === point) {
    const from = next + 1;
    next = digitsEnd(bytes, from, end);
    if (next === from) return -1 - next;
  }
  // `e` or `E`
  if (next < end && (bytes[next]! | 0x20) === 0x65) {
    next++;
    if (next < end && (bytes[next] === plus || bytes[next] === minus)) next++;
    const from = next;
    next = digitsEnd(bytes, from, end);
    if (next === from) return -1 - next;
  }
  return next;
}

/** Whether a double can hold the number in these bytes. Takes time in proportion to their count. */
export function isFiniteNumber(bytes: Uint8Array, from: number, to: number): boolean {
  // The largest number of four characters is 9e99.
  if (to - from < 5) return true;
  const whole = digitsEnd(bytes, bytes[from] === minus ? from + 1 : from, to);
  let mantissaEnd = whole;
  if (mantissaEnd < to && bytes[mantissaEnd] === point) {
    mantissaEnd = digitsEnd(bytes, mantissaEnd + 1, to);
  }
  if (mantissaEnd === to && whole - from <= largestExponent) return true;
  let first = from;
  while (first < mantissaEnd && !isSignificant(bytes[first]!)) first++;
  if (first === mantissaEnd) return true; // zero, whatever its exponent
  // The exponent of the first digit that is not zero: 0 for 5.1, 2 for 510, -1 for 0.51.
  const exponent =
    (first < whole ? whole - 1 - first : whole - first) + exponentOf(bytes, mantissaEnd, to);
  if (exponent !== largestExponent) return exponent < largestExponent;
  let digits = '';
  for (let i = first; i < mantissaEnd && digits.length < decisiveDigits; i++) {
    if (bytes[i] !== point) digits += String.fromCharCode(bytes[i]!);
  }
  return Number.isFinite(Number(`${digits[0]}.${digits.slice(1)}e${largestExponent}`));
}

/** The exponent, capped at a billion: no text has enough digits to make up for more. */
function exponentOf(bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return 0;
  const isNegative = bytes[from + 1] === minus;
  let exponent = 0;
  for (let i = from + 1; i < to && exponent < 1e9; i++) {
    if (bytes[i]! >= zero) exponent = exponent * 10 + (bytes[i]! - zero);
  }
  return isNegative ? -exponent : exponent;
}

function isSignificant(byte: number): boolean {
  return byte > zero && byte <= nine;
}

function digitsEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at]! >= zero && bytes[at]! <= nine) at++;
  return at;
}
