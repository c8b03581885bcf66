// How much memory a WebAssembly module may have at most: its memory section says it, and is written anew before the
// module is compiled. So the limit holds on every platform, also where nobody can watch the process.

const memorySection = 5;
export const pageBytes = 65_536;

/** What a module starts with and may grow to, in pages of 64 KiB. */
export interface MemoryPages {
  readonly initial: number;
  readonly maximum: number | null;
}

/** Pages for so many MB. */
export function pagesOf(megabytes: number): number {
  return Math.floor((megabytes * 1_048_576) / pageBytes);
}

/** The same module, whose own memory grows to so many pages at most, and starts with so many at least. */
export function withMemoryPages(module: Uint8Array, pages: MemoryPages): Uint8Array<ArrayBuffer> {
  const section = findMemorySection(module);
  const { initial, maximum } = section.pages;
  const starts = Math.max(initial, pages.initial);
  const most = Math.min(maximum ?? Infinity, pages.maximum ?? Infinity);
  if (most < starts) {
    throw new RangeError(`the module needs ${starts} pages of memory, and may have ${most}`);
  }
  const limits =
    most === Infinity ? [0, ...leb128(starts)] : [1, ...leb128(starts), ...leb128(most)];
  const body = [1, ...limits];
  const head = [memorySection, ...leb128(body.length)];
  const written = new Uint8Array(
    section.start + head.length + body.length + module.length - section.end,
  );
  written.set(module.subarray(0, section.start));
  written.set([...head, ...body], section.start);
  written.set(module.subarray(section.end), section.start + head.length + body.length);
  return written;
}

interface Section {
  /** Where the section begins, with its number and length, and where the next one does. */
  readonly start: number;
  readonly end: number;
  readonly pages: MemoryPages;
}

function findMemorySection(module: Uint8Array): Section {
  const reader = new Reader(module, 8);
  while (!reader.isAtEnd) {
    const start = reader.at;
    const id = reader.byte();
    const length = reader.unsigned();
    const end = reader.at + length;
    if (id === memorySection) return { start, end, pages: readMemory(reader) };
    reader.at = end;
  }
  throw new RangeError('the module has no memory of its own');
}

function readMemory(reader: Reader): MemoryPages {
  if (reader.unsigned() !== 1) throw new RangeError('the module has several memories');
  const flags = reader.byte();
  if (flags > 1) throw new RangeError('the memory of the module is shared, or has 64 bits');
  const initial = reader.unsigned();
  return { initial, maximum: flags === 1 ? reader.unsigned() : null };
}

class Reader {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new RangeError('the module is cut short');
    return byte;
  }

  /** LEB128, 32 bits. */
  unsigned(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('the module has a number that is too long');
  }
}

function leb128(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const byte = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest === 0 ? byte : byte + 128);
  } while (rest > 0);
  return bytes;
}
