// A hash over objects, texts and numbers. Of an object only its identity counts.

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** Two 32-bit words, each mixed as in murmur3: 64 bits make a collision by chance unlikely. */
export class IdentityHash {
  #a = 0x9747b28c;
  #b = 0x1b873593;

  add(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x85ebca6b);
    this.#a = (this.#a << 13) | (this.#a >>> 19);
    this.#b = Math.imul(this.#b ^ word, 0xc2b2ae35);
    this.#b = (this.#b << 15) | (this.#b >>> 17);
  }

  addText(text: string): void {
    for (let i = 0; i < text.length; i++) this.add(text.charCodeAt(i));
    this.add(text.length);
  }

  addObject(object: object | null): void {
    this.add(identityOf(object));
  }

  addValue(value: unknown): void {
    const isObject = typeof value === 'object' && value !== null;
    if (isObject || typeof value === 'function') return this.addObject(value);
    this.addText(`${typeof value} ${Object.is(value, -0) ? '-0' : String(value)}`);
  }

  text(): string {
    return `${(this.#a >>> 0).toString(16)}-${(this.#b >>> 0).toString(16)}`;
  }
}

/** Numbers in the order of first sight; 0 stands for null. */
function identityOf(object: object | null): number {
  if (object === null) return 0;
  let identity = identities.get(object);
  if (identity === undefined) identities.set(object, (identity = ++lastIdentity));
  return identity;
}
