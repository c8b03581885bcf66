// What a member of the cluster tells the leader in place of a body: the member puts the bytes in the database itself, and
// says how many have come, and in the end where all of them are. The leader decides by that as it would by the bytes.
// It says first that it takes them, and whether they are wanted.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { StagedBlob } from '../coordinator/port/blobs.ts';
import { bodySilenceMs, silent } from './body-pace.ts';
import type { Callers } from './callers.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { Refusal } from './refusal.ts';

/** Beside a request of which the body is staged: the length that the client has announced, or `-`. */
export const stagedHeader = 'x-muster-staged';

/** A member speaks at least as often as its client is heard; one that says nothing for so long stands still. */
const silenceMs = 2 * bodySilenceMs;
const longestReceipt = 1_000;
const newline = 0x0a;

export type Receipt =
  /** So many bytes have come by now. */
  | readonly ['arrived', number]
  /** All of them: their SHA-256, how many, and where they are; null where none were wanted. */
  | readonly ['whole', string, number, StagedBlob | null]
  /** They come too slowly. */
  | readonly ['slow'];

export function receiptLine(receipt: Receipt): string {
  return `${JSON.stringify(receipt)}\n`;
}

/** Whether a member stages the body of this request. */
export function isStaged({ raw, headers }: FastifyRequest, callers: Pick<Callers, 'of'>): boolean {
  return headers[stagedHeader] !== undefined && callers.of(raw).isPassedOn;
}

/** The status with which the leader takes what a member is sent: 100 when the bytes are wanted, 102 when only their hash is. */
export function sayTaken(raw: ServerResponse, areWanted: boolean): void {
  if (areWanted) raw.writeContinue();
  else raw.writeProcessing();
}

export const wantedStatus = 100;
export const unwantedStatus = 102;

/** Throws a `Refusal` for what no member says. */
export async function* receiptsOf(message: IncomingMessage): AsyncGenerator<Receipt> {
  for await (const line of receiptLines(message, longestReceipt)) yield toReceipt(line);
}

/** What is said in each line. `onHeld`: told of the bytes of a line that are in memory, before more are read. */
export async function* receiptLines(
  message: IncomingMessage,
  longestBytes: number,
  onHeld?: (bytes: number) => void,
): AsyncGenerator {
  const timer = setTimeout(() => message.destroy(silent()), silenceMs);
  const rest = new GatheredBytes();
  try {
    for await (const piece of message.iterator({ destroyOnReturn: false })) {
      timer.refresh();
      let from = 0;
      for (let to; (to = (piece as Buffer).indexOf(newline, from)) >= 0; from = to + 1) {
        rest.push((piece as Buffer).subarray(from, to));
        yield toLine(rest.take());
      }
      rest.push((piece as Buffer).subarray(from));
      if (rest.length > longestBytes) throw unreadableReceipt();
      onHeld?.(rest.length);
    }
  } finally {
    clearTimeout(timer);
  }
}

function toLine(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw unreadableReceipt();
  }
}

function toReceipt(value: unknown): Receipt {
  const [what, first, bytes, staged] = Array.isArray(value) ? (value as unknown[]) : [];
  if (what === 'arrived' && isCount(first)) return [what, first];
  if (what === 'slow') return [what];
  if (what === 'whole' && typeof first === 'string' && isCount(bytes)) {
    if (staged === null || isStagedBlob(staged)) return [what, first, bytes, staged];
  }
  throw unreadableReceipt();
}

function isStagedBlob(value: unknown): value is StagedBlob {
  const { key, member, sizeBytes } = (value ?? {}) as Partial<Record<keyof StagedBlob, unknown>>;
  return isCount(key) && typeof member === 'string' && isCount(sizeBytes);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function unreadableReceipt(): Refusal {
  return new Refusal('validation_failed', 'This is nothing that a member of the cluster says.');
}
