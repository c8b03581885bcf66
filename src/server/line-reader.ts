// Splits an upload into lines in bounded memory: it reads from the socket again only when the lines
// of the last read have been taken. When reading is given up, the request stays readable.

import type { IncomingMessage } from 'node:http';
import { leastUploadRate } from './body-pace.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { Hold, InFlight } from './in-flight.ts';
import { Refusal } from './refusal.ts';
import { bodyPieces } from './request-body.ts';

const newline = 0x0a;

export interface LineLimits {
  readonly firstBytes: number;
  readonly otherBytes: number;
}

export interface LineOptions {
  readonly limits: LineLimits;
  readonly inFlight: InFlight;
  /** The memory of the upload, which the caller releases. */
  readonly hold: Hold;
  /** Bytes of lines that were taken and are still in memory: they count beside what is being read. */
  readonly kept: () => number;
  /** Called with the bytes that were read, in order. */
  readonly onBytes?: (bytes: Buffer) => void;
}

/** Whole lines with their line ends, empty lines included; the very last line may have no end. */
export interface Lines {
  /** Number of the first of these lines, counted from 1. */
  readonly firstNumber: number;
  readonly bytes: Buffer;
}

export async function* readLines(
  message: IncomingMessage,
  { limits, inFlight, hold, kept, onBytes }: LineOptions,
): AsyncGenerator<Lines> {
  let number = 1;
  const pending = new GatheredBytes();
  for await (const chunk of bodyPieces(message, leastUploadRate)) {
    onBytes?.(chunk);
    const end = chunk.lastIndexOf(newline) + 1;
    refuseLong(pending.length + firstLineEnd(chunk, end), number, limits);
    if (!hold.resize(kept() + pending.length + chunk.length)) throw inFlight.full();
    if (end === 0) {
      pending.push(chunk);
      continue;
    }
    pending.push(chunk.subarray(0, end));
    const bytes = pending.take();
    yield { firstNumber: number, bytes };
    number += linesIn(bytes);
    // Copied, so that the beginning of a line does not keep the whole read in memory.
    pending.push(Buffer.from(chunk.subarray(end)));
    refuseLong(pending.length, number, limits);
  }
  if (pending.length > 0) yield { firstNumber: number, bytes: pending.take() };
}

/**
 * Refuses a line over its limit. Lines within one read (about 64 kB) are checked where they are
 * parsed.
 */
export function refuseLong(bytes: number, number: number, limits: LineLimits): void {
  const limit = number === 1 ? limits.firstBytes : limits.otherBytes;
  if (bytes <= limit) return;
  const name = number === 1 ? 'body_bytes' : 'input_bytes';
  const wayOut = number === 1 ? '' : '; a larger input is sent as a blob';
  const detail = `Line ${number} is longer than ${limit} bytes (limit ${name})${wayOut}.`;
  throw new Refusal('payload_too_large', detail);
}

function firstLineEnd(chunk: Buffer, end: number): number {
  return end === 0 ? chunk.length : chunk.indexOf(newline);
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
