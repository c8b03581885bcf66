// `crypto` of a program: random bytes and ids from the random numbers of its task, which a second attempt
// repeats. Nothing secret can be made of them; nor of others, on a device that its owner looks into. The
// text of this function is evaluated in the compartment of each job that asks for it.

export function makeCrypto() {
  const limit = 65_536;
  const integers =
    /^\[object (?:Int8|Uint8|Uint8Clamped|Int16|Uint16|Int32|Uint32|BigInt64|BigUint64)Array\]$/;

  function fill(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(Math.random() * 256);
  }

  function getRandomValues<T extends ArrayBufferView>(view: T): T {
    if (!integers.test(Object.prototype.toString.call(view))) {
      throw new TypeError('crypto.getRandomValues fills a typed array of whole numbers');
    }
    if (view.byteLength > limit) {
      throw new RangeError(`crypto.getRandomValues fills at most ${limit} bytes at once`);
    }
    fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return view;
  }

  function randomUUID(): string {
    const bytes = new Uint8Array(16);
    fill(bytes);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  return { crypto: { getRandomValues, randomUUID } };
}
