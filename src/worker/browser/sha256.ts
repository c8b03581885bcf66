// SHA-256 (FIPS 180-4) for pages that did not come by HTTPS: browsers hash nothing for them. A library is five times as
// large as all of this, and every device loads it. It names blobs; nothing secret is hashed with it.

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime > 0)) primes.push(n);
/** The first 32 bits of the fractional parts; a double has 49 of them, so that they need no table. */
const fractions = (roots: readonly number[]) =>
  Uint32Array.from(roots, (root) => (root % 1) * 2 ** 32);
const k = fractions(primes.map(Math.cbrt));
const initial = fractions(primes.slice(0, 8).map(Math.sqrt));
const blockBytes = 64;

export function sha256(bytes: Uint8Array): Uint8Array {
  const h = Uint32Array.from(initial);
  const w = new Uint32Array(64);
  const whole = bytes.length - (bytes.length % blockBytes);
  addBlocks(h, w, bytes.subarray(0, whole));
  // What is left, a bit, zeros, and the length in bits.
  const left = bytes.length - whole;
  const tail = new Uint8Array(left < 56 ? blockBytes : 2 * blockBytes);
  tail.set(bytes.subarray(whole));
  tail[left] = 0x80;
  new DataView(tail.buffer).setBigUint64(tail.length - 8, BigInt(bytes.length) * 8n);
  addBlocks(h, w, tail);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, value] of h.entries()) digest.setUint32(4 * i, value);
  return new Uint8Array(digest.buffer);
}

function addBlocks(hash: Uint32Array, w: Uint32Array, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += blockBytes) {
    for (let t = 0; t < 16; t++) w[t] = view.getUint32(at + 4 * t);
    for (let t = 16; t < 64; t++) {
      const [x, y] = [w[t - 15]!, w[t - 2]!];
      const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
      const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
      w[t] = s1 + w[t - 7]! + s0 + w[t - 16]!;
    }
    addBlock(hash, w);
  }
}

function addBlock(hash: Uint32Array, w: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = hash as unknown as Eight;
  for (let t = 0; t < 64; t++) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[t]! + w[t]!) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) hash[i] = hash[i]! + value;
}

type Eight = [number, number, number, number, number, number, number, number];

function rotated(x: number, bits: number): number {
  return (x >>> bits) | (x << (32 - bits));
}
