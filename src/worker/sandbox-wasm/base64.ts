// Base64 of bytes, without line breaks and with padding.

import { fromUtf8 } from './engine.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const padding = 0x3d;
const codes = new Uint8Array(64);
/** By character code; 255: it is none of the alphabet. */
const values = new Uint8Array(128).fill(255);
for (let i = 0; i < 64; i++) {
  codes[i] = alphabet.charCodeAt(i);
  values[codes[i]!] = i;
}

export function toBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  const whole = bytes.length - (bytes.length % 3);
  let filled = 0;
  for (let at = 0; at < whole; at += 3) {
    const bits = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
    text[filled++] = codes[bits >> 18]!;
    text[filled++] = codes[(bits >> 12) & 0x3f]!;
    text[filled++] = codes[(bits >> 6) & 0x3f]!;
    text[filled++] = codes[bits & 0x3f]!;
  }
  if (whole < bytes.length) {
    const bits = (bytes[whole]! << 16) | ((bytes[whole + 1] ?? 0) << 8);
    const hasTwo = bytes.length - whole === 2;
    text[filled++] = codes[bits >> 18]!;
    text[filled++] = codes[(bits >> 12) & 0x3f]!;
    text[filled++] = hasTwo ? codes[(bits >> 6) & 0x3f]! : padding;
    text[filled++] = padding;
  }
  // It is ASCII.
  return fromUtf8(text)!;
}

/** Null when the text is no base64. */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const pads = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = text.length - pads;
  const bytes = new Uint8Array((text.length / 4) * 3 - pads);
  let bits = 0;
  let known = 0;
  let at = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? values[code]! : 255;
    if (value === 255) return null;
    bits = ((bits << 6) | value) & 0xffffff;
    known += 6;
    if (known < 8) continue;
    known -= 8;
    bytes[at++] = (bits >> known) & 0xff;
  }
  return bytes;
}
