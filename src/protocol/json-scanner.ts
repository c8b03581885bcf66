// Reads JSON text as bytes, once from front to back, as many bytes at a time as the caller wants. It tells
// whether JSON.parse would accept the text, counts the values that JSON.parse would make of it, and finds
// the payloads that are to be cut out. It makes no values and no text itself.
//
// Stricter than JSON.parse in three things: nesting, numbers that no double can hold, and bytes that
// are not UTF-8.

import { isFiniteNumber, numberEnd } from './json-number.ts';
import { everyElement, Place } from './json-places.ts';
import { characterEnd, escapeEnd, plainEnd, PlainRuns } from './json-text-bytes.ts';
import { deepestNesting } from './limits.ts';

/** A payload that was found, or a list of them, in the order of the text. */
export interface Cut {
  readonly from: number;
  readonly to: number;
  /** For a list: begin and end of each element, one after the other; else null. */
  readonly elements: GrowingNumbers | null;
  /** The nesting, counted from the outermost value, exceeds the limit: it must not be parsed. */
  readonly isTooDeep: boolean;
}

export interface ScanOptions {
  /** The part of the bytes to read; all of them when absent. */
  readonly from?: number;
  readonly to?: number;
  /** The scan gives up when there are more values and keys outside of payloads. */
  readonly mostCount?: number;
}

// What comes next.
const value = 0;
const valueOrEnd = 1;
const keyOrEnd = 2;
const key = 3;
const colon = 4;
const commaOrEnd = 5;
const nothing = 6;
const restOfText = 7;
const restOfKey = 8;

const none = -1;

/** Most runs of plain characters end within so many bytes. */
const shortRun = 32;

/** Within a list, whose elements are payloads. */
const elementOfList = Place.tree([{ steps: [everyElement], cut: 'value' }]);

export class JsonScanner {
  /** What is wrong with the text, in words that follow "is". Null while nothing is. */
  problem: string | null = null;
  /** Values and keys outside of payloads. */
  count = 0;
  /** The scan gave up because of `mostCount`; `problem` is set then, too. */
  isTooMany = false;
  readonly cuts: Cut[] = [];
  /** Bytes of all payloads that were cut out. */
  cutBytes = 0;
  private readonly bytes: Uint8Array;
  private readonly from: number;
  private readonly to: number;
  private readonly mostCount: number;
  /** Made for the first long run. */
  private runs: PlainRuns | null = null;
  private at: number;
  private expected = value;
  private depth = 0;
  /** By depth, from 1: whether that container is an object. */
  private readonly isObject: boolean[] = [];
  /** The same for depths that only a payload may have. */
  private deeper: Uint8Array | null = null;
  /** By depth, from 1: the place of that container; null when nothing in it is to be cut. */
  private readonly places: (Place | null)[] = [];
  /** The place of the value that comes next. */
  private next: Place | null;
  private keyFrom = 0;
  /** Begin and depth of the payload that is being read. */
  private cutFrom = none;
  private cutDepth = none;
  private isTooDeep = false;
  /** The same for the list of payloads that is being read. */
  private listFrom = none;
  private listDepth = none;
  private elements: GrowingNumbers | null = null;

  constructor(bytes: Uint8Array, root: Place | null = null, options: ScanOptions = {}) {
    this.bytes = bytes;
    this.from = options.from ?? 0;
    this.to = options.to ?? bytes.length;
    this.mostCount = options.mostCount ?? Infinity;
    this.at = this.from;
    this.next = root;
  }

  /**
   * Reads about so many more bytes; a number is read at once, however long. True when the scan is over, at
   * the end of the text or because of a problem.
   */
  scan(mostBytes = this.to): boolean {
    const { bytes, to } = this;
    const stop = Math.min(to, this.at + mostBytes);
    while (this.problem === null && this.at < stop) {
      const byte = bytes[this.at]!;
      if (this.expected >= restOfText) this.readText(stop);
      else if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.at++;
      else this.step(byte, stop);
    }
    if (this.problem === null && this.at >= to && this.expected !== nothing) {
      this.problem = `not valid JSON (it ends too early, after ${to - this.from} bytes)`;
    }
    return this.problem !== null || this.at >= to;
  }

  private step(byte: number, stop: number): void {
    switch (this.expected) {
      case commaOrEnd:
        if (byte === 0x2c) this.takeComma();
        else if (byte === (this.isInObject() ? 0x7d : 0x5d)) this.close();
        else this.unexpected(this.at);
        return;
      case value:
        return this.begin(byte, stop);
      case valueOrEnd:
        if (byte !== 0x5d) return this.begin(byte, stop);
        return this.close();
      case keyOrEnd:
        if (byte === 0x7d) return this.close();
        return this.beginKey(byte, stop);
      case key:
        return this.beginKey(byte, stop);
      case colon:
        if (byte !== 0x3a) return this.unexpected(this.at);
        this.at++;
        this.expected = value;
        return;
      default:
        this.unexpected(this.at);
    }
  }

  private begin(byte: number, stop: number): void {
    if (this.cutDepth === none) {
      if (this.next !== null && this.next.cut === 'value') {
        this.cutFrom = this.at;
        this.cutDepth = this.depth;
        this.next = null;
      } else this.take();
    }
    if (byte === 0x22) {
      this.at++;
      this.expected = restOfText;
      this.readText(stop);
    } else if (byte === 0x7b) this.open(true);
    else if (byte === 0x5b) this.open(false);
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) this.readNumber();
    else if (byte === 0x74) this.readWord('true');
    else if (byte === 0x66) this.readWord('false');
    else if (byte === 0x6e) this.readWord('null');
    else this.unexpected(this.at);
  }

  /** Counts a value or key that is not in a payload. */
  private take(): void {
    if (++this.count <= this.mostCount) return;
    this.isTooMany = true;
    this.problem = `of more than ${this.mostCount} values and keys`;
  }

  private open(isObject: boolean): void {
    if (this.depth >= deepestNesting) return this.openDeep(isObject);
    const depth = ++this.depth;
    const place = this.next;
    this.isObject[depth] = isObject;
    this.places[depth] = place;
    this.expected = isObject ? keyOrEnd : valueOrEnd;
    if (place !== null && !isObject) {
      if (place.cut === 'list') {
        this.listFrom = this.at;
        this.listDepth = depth;
        this.elements = new GrowingNumbers();
        this.places[depth] = elementOfList;
      }
      this.next = this.places[depth]!.element;
    } else this.next = null;
    this.at++;
  }

  /** Nesting beyond the limit: within a payload it spoils only that payload, not the rest of the text. */
  private openDeep(isObject: boolean): void {
    if (this.cutDepth === none || this.elements !== null) {
      this.problem = `nested deeper than ${deepestNesting} levels`;
      return;
    }
    this.isTooDeep = true;
    this.deeper ??= new Uint8Array(1024);
    const index = this.depth++ - deepestNesting;
    if (index === this.deeper.length) {
      const larger = new Uint8Array(2 * index);
      larger.set(this.deeper);
      this.deeper = larger;
    }
    this.deeper[index] = Number(isObject);
    this.expected = isObject ? keyOrEnd : valueOrEnd;
    this.at++;
  }

  private isInObject(): boolean {
    const { depth } = this;
    if (depth > deepestNesting) return this.deeper![depth - deepestNesting - 1] === 1;
    return this.isObject[depth] === true;
  }

  private close(): void {
    this.at++;
    if (this.depth === this.listDepth) {
      this.takeCut(this.listFrom, this.elements);
      this.listDepth = none;
      this.elements = null;
    }
    this.depth--;
    this.ended();
  }

  private takeComma(): void {
    this.at++;
    if (this.isInObject()) this.expected = key;
    else {
      this.next = this.places[this.depth]?.element ?? null;
      this.expected = value;
    }
  }

  /** A value has ended before `at`. */
  private ended(): void {
    if (this.depth === this.cutDepth) {
      if (this.elements === null) this.takeCut(this.cutFrom, null);
      else this.elements.push(this.cutFrom, this.at);
      this.cutDepth = none;
    }
    this.expected = this.depth === 0 ? nothing : commaOrEnd;
  }

  private takeCut(from: number, elements: GrowingNumbers | null): void {
    this.cuts.push({ from, to: this.at, elements, isTooDeep: this.isTooDeep });
    this.isTooDeep = false;
    this.cutBytes += this.at - from;
  }

  private beginKey(byte: number, stop: number): void {
    if (byte !== 0x22) return this.unexpected(this.at);
    if (this.cutDepth === none) this.take();
    this.keyFrom = ++this.at;
    this.expected = restOfKey;
    this.readText(stop);
  }

  private endKey(): void {
    const place = this.depth > deepestNesting ? null : this.places[this.depth]!;
    this.next = place === null ? null : place.member(this.bytes, this.keyFrom, this.at - 1);
    this.expected = colon;
  }

  /** Reads to the end of a string or to the stop, whichever comes first. */
  private readText(stop: number): void {
    const { bytes, to } = this;
    while (this.at < stop) {
      const at = this.plainEnd(stop);
      this.at = at;
      if (at === stop) return;
      const byte = bytes[at]!;
      if (byte === 0x22) {
        this.at++;
        if (this.expected === restOfKey) this.endKey();
        else this.ended();
        return;
      }
      const end =
        byte === 0x5c
          ? escapeEnd(bytes, at, to)
          : byte >= 0x80
            ? characterEnd(bytes, at, to)
            : none;
      if (end === none) return this.spoiled(byte, at);
      this.at = end;
    }
  }

  private plainEnd(stop: number): number {
    const near = Math.min(stop, this.at + shortRun);
    const at = plainEnd(this.bytes, this.at, near);
    if (at < near || near === stop) return at;
    this.runs ??= new PlainRuns(this.bytes);
    return this.runs.end(at, stop);
  }

  private spoiled(byte: number, at: number): void {
    if (byte >= 0x80) this.problem = `not UTF-8 ${this.where(at)}`;
    else if (byte === 0x5c) this.problem = `not valid JSON (a broken escape ${this.where(at)})`;
    else this.problem = `not valid JSON (a control character in a text ${this.where(at)})`;
  }

  private readNumber(): void {
    const { bytes, at } = this;
    const end = numberEnd(bytes, at, this.to);
    if (end < 0) return this.unexpected(-1 - end);
    if (!isFiniteNumber(bytes, at, end)) {
      this.problem = `out of range: it holds a number that is not finite ${this.where(at)}`;
      return;
    }
    this.at = end;
    this.ended();
  }

  private readWord(word: 'true' | 'false' | 'null'): void {
    for (let i = 1; i < word.length; i++) {
      const at = this.at + i;
      if (at >= this.to || this.bytes[at] !== word.charCodeAt(i)) return this.unexpected(at);
    }
    this.at += word.length;
    this.ended();
  }

  private unexpected(at: number): void {
    if (at >= this.to) {
      this.problem = `not valid JSON (it ends too early, after ${this.to - this.from} bytes)`;
      return;
    }
    const byte = this.bytes[at]!;
    const shown = byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `byte ${byte}`;
    this.problem = `not valid JSON (unexpected ${shown} ${this.where(at)})`;
  }

  /** Lines and columns count from 1, columns in bytes. */
  private where(at: number): string {
    let line = 1;
    let lineFrom = this.from;
    for (let i = this.from; i < at; i++) {
      if (this.bytes[i] !== 0x0a) continue;
      line++;
      lineFrom = i + 1;
    }
    const column = at - lineFrom + 1;
    return line === 1 ? `at column ${column}` : `in line ${line} at column ${column}`;
  }
}

/** Positions, four bytes each: a list may have millions of elements. */
export class GrowingNumbers {
  length = 0;
  private numbers = new Uint32Array(64);

  push(first: number, second: number): void {
    if (this.length === this.numbers.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.length++] = first;
    this.numbers[this.length++] = second;
  }

  at(index: number): number {
    return this.numbers[index]!;
  }
}
