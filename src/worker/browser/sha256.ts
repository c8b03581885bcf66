// SHA-256 (FIPS 180-4) for pages that did not come by HTTPS: browsers hash nothing for them. A library is five times as
// large as all of this, and every device loads it. It names blobs; nothing secret is hashed with it.

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const k = Uint32Array.from(
  (
    '428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5d807aa9812835b01243185be550c7dc3' +
    '72be5d7480deb1fe9bdc06a7c19bf174e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da' +
    '983e5152a831c66db00327c8bf597fc7c6e00bf3d5a7914706ca63511429296727b70a852e1b21384d2c6dfc53380d13' +
    '650a7354766a0abb81c2c92e92722c85a2bfe8a1a81a664bc24b8b70c76c51a3d192e819d6990624f40e3585106aa070' +
    '19a4c1161e376c082748774c34b0bcb5391c0cb34ed8aa4a5b9cca4f682e6ff3748f82ee78a5636f84c878148cc70208' +
    '90befffaa4506cebbef9a3f7c67178f2'
  ).match(/.{8}/g)!,
  (hex) => Number.parseInt(hex, 16),
);
/** The same of the square roots of the first 8 primes. */
const initial = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
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
