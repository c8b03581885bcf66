// Splits an upload into lines in bounded memory: one read of the socket at a time, and the next one
// only when the lines of this one have been taken. Leaves the request readable when it is given up.

import type { IncomingMessage } from 'node:http';
import { decodeUtf8 } from './json-text.ts';
import { Refusal } from './refusal.ts';
import { bodyPieces } from './request-body.ts';

const newline = 0x0a;

export interface LineLimits {
  readonly firstBytes: number;
  readonly otherBytes: number;
}

/**
 * The lines of each read, with their ends cut off; empty ones included. Numbers count from 1.
 * `onBytes` sees what was read, in order.
 */
export async function* readLines(
  message: IncomingMessage,
  limits: LineLimits,
  onBytes?: (bytes: Buffer) => void,
): AsyncGenerator<{ readonly firstNumber: number; readonly lines: readonly string[] }> {
  let number = 1;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of bodyPieces(message)) {
    onBytes?.(chunk);
    const end = chunk.lastIndexOf(newline);
    const first = end < 0 ? chunk.length : chunk.indexOf(newline);
    refuseLong(pendingBytes + first, number, limits);
    if (end < 0) {
      pending.push(chunk);
      pendingBytes += chunk.length;
      continue;
    }
    pending.push(chunk.subarray(0, end));
    const lines = textOf(pending, number).split('\n');
    yield { firstNumber: number, lines };
    number += lines.length;
    // A copy: the rest of a line must not keep the whole read alive.
    pending = [Buffer.from(chunk.subarray(end + 1))];
    pendingBytes = chunk.length - end - 1;
    refuseLong(pendingBytes, number, limits);
  }
  if (pendingBytes > 0) yield { firstNumber: number, lines: [textOf(pending, number)] };
}

/** Lines within one read are no longer than the read, about 64 kB: checked where they are parsed. */
export function refuseLong(bytes: number, number: number, limits: LineLimits): void {
  const limit = number === 1 ? limits.firstBytes : limits.otherBytes;
  if (bytes <= limit) return;
  const name = number === 1 ? 'body_bytes' : 'input_bytes';
  const detail = `Line ${number} is longer than ${limit} bytes (limit ${name}).`;
  throw new Refusal('payload_too_large', detail);
}

function textOf(parts: readonly Buffer[], firstNumber: number): string {
  const text = decodeUtf8(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
  if (text !== null) return text;
  const detail = `The text is not UTF-8, in line ${firstNumber} or soon after.`;
  throw new Refusal('validation_failed', detail);
}
