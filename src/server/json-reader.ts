// Reads JSON from outside in linear time, one slice in a turn of the event loop: first the scanner
// goes over the bytes, then JSON.parse over the outline, which is the text without its payloads and
// is small. A payload (an input, a result, a state) stays the text that was sent: it is neither
// parsed nor written anew. Only its line breaks are replaced, because results are sent one a line.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { RawJson } from '../protocol/codec.ts';
import type { Place } from '../protocol/json-places.ts';
import { type Cut, type GrowingNumbers, JsonScanner } from '../protocol/json-scanner.ts';

/** Bytes that are scanned at once: about a millisecond, whatever they contain. Long texts take a tenth of that. */
const sliceBytes = 64 * 1024;
/** So long the scan may go on in one turn. */
const turnMs = 1;
/** Texts of a list that are made at once. */
const sliceTexts = 10_000;

export interface ReadingRules {
  /** Where the payloads are; null when there are none. */
  readonly places: Place | null;
  readonly mostOutlineBytes: number;
  /** Counts values and keys. */
  readonly mostOutlineValues: number;
  /** The names of the two limits, for people. */
  readonly limitNames: readonly [bytes: string, values: string];
}

export type Reading =
  | {
      readonly ok: true;
      /** The outline: an index of `payloads` stands for each payload, `[index]` for a list of them. */
      readonly value: unknown;
      readonly payloads: Payloads;
    }
  | {
      readonly ok: false;
      /** A text that follows "is" in a sentence. */
      readonly problem: string;
      /** It is JSON, but too large. */
      readonly isTooLarge: boolean;
    };

/** Reads short bytes at once, longer ones in slices, between which the event loop turns as soon as they have taken long. */
export function readJson(bytes: Buffer, rules: ReadingRules): Reading | Promise<Reading> {
  const scanner = scannerFor(bytes, rules);
  if (!scanInTurn(scanner)) return readSlices(scanner, bytes, rules);
  // Of many values the outline takes a turn of its own.
  if (bytes.length - scanner.cutBytes > sliceBytes) return readOutline(scanner, bytes, rules);
  return readingOf(scanner, bytes, rules);
}

/** True when the scan is over. */
function scanInTurn(scanner: JsonScanner): boolean {
  const until = performance.now() + turnMs;
  do {
    if (scanner.scan(sliceBytes)) return true;
  } while (performance.now() < until);
  return false;
}

function scannerFor(bytes: Buffer, { places, mostOutlineValues }: ReadingRules): JsonScanner {
  return new JsonScanner(bytes, places, { mostCount: mostOutlineValues });
}

async function readSlices(
  scanner: JsonScanner,
  bytes: Buffer,
  rules: ReadingRules,
): Promise<Reading> {
  do await nextTurn();
  while (!scanInTurn(scanner));
  return readOutline(scanner, bytes, rules);
}

async function readOutline(
  scanner: JsonScanner,
  bytes: Buffer,
  rules: ReadingRules,
): Promise<Reading> {
  await nextTurn();
  return readingOf(scanner, bytes, rules);
}

function readingOf(scanner: JsonScanner, bytes: Buffer, rules: ReadingRules): Reading {
  const [bytesName, valuesName] = rules.limitNames;
  const { problem, isTooMany, cuts, cutBytes } = scanner;
  if (isTooMany) return tooLarge(`${problem} beside its payloads (limit ${valuesName})`);
  if (problem !== null) return { ok: false, problem, isTooLarge: false };
  if (bytes.length - cutBytes > rules.mostOutlineBytes) {
    const size = `larger than ${rules.mostOutlineBytes} bytes`;
    return tooLarge(`${size} beside its payloads (limit ${bytesName})`);
  }
  const value: unknown = JSON.parse(outlineOf(bytes, scanner));
  return { ok: true, value, payloads: new Payloads(bytes, cuts) };
}

function tooLarge(problem: string): Reading {
  return { ok: false, problem, isTooLarge: true };
}

/** An index is never longer than ten digits, and a list adds two brackets. */
const longestPlaceholder = 12;

function outlineOf(bytes: Buffer, { cuts, cutBytes }: JsonScanner): string {
  if (cuts.length === 0) return bytes.toString('utf8');
  const most = bytes.length - cutBytes + longestPlaceholder * cuts.length;
  const outline = Buffer.allocUnsafe(most);
  let length = 0;
  let from = 0;
  for (let i = 0; i < cuts.length; i++) {
    const cut = cuts[i]!;
    length += bytes.copy(outline, length, from, cut.from);
    length += outline.write(cut.elements === null ? String(i) : `[${i}]`, length, 'latin1');
    from = cut.to;
  }
  length += bytes.copy(outline, length, from);
  return outline.toString('utf8', 0, length);
}

/** The payloads of one text; their texts are made when they are asked for. */
export class Payloads {
  private readonly bytes: Buffer;
  private readonly cuts: readonly Cut[];

  constructor(bytes: Buffer, cuts: readonly Cut[]) {
    this.bytes = bytes;
    this.cuts = cuts;
  }

  sizeOf(index: number): number {
    const { from, to } = this.cuts[index]!;
    return to - from;
  }

  isTooDeep(index: number): boolean {
    return this.cuts[index]!.isTooDeep;
  }

  get(index: number): RawJson {
    const { from, to } = this.cuts[index]!;
    return new RawJson(payloadLine(this.bytes, from, to));
  }

  list(index: number): PayloadList {
    return new PayloadList(this.bytes, this.cuts[index]!.elements!);
  }
}

export class PayloadList {
  private readonly bytes: Buffer;
  private readonly spans: GrowingNumbers;

  constructor(bytes: Buffer, spans: GrowingNumbers) {
    this.bytes = bytes;
    this.spans = spans;
  }

  get length(): number {
    return this.spans.length / 2;
  }

  sizeOf(index: number): number {
    return this.spans.at(2 * index + 1) - this.spans.at(2 * index);
  }

  text(index: number): string {
    return payloadLine(this.bytes, this.spans.at(2 * index), this.spans.at(2 * index + 1));
  }

  /** Calls for each index in order; the event loop turns after some thousands. */
  async each(take: (index: number) => void): Promise<void> {
    for (let i = 0; i < this.length; i++) {
      if (i > 0 && i % sliceTexts === 0) await nextTurn();
      take(i);
    }
  }
}

/** In valid JSON, a line break that is not written as an escape is white space. */
export function payloadLine(bytes: Buffer, from = 0, to = bytes.length): string {
  const text = bytes.toString('utf8', from, to);
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]/g, ' ') : text;
}
