// What a member of the cluster tells the leader in place of a job that is sent to it line by line: the member reads the
// lines and puts the inputs in the database itself. The leader reads the first line alone, says under which key the inputs
// are to be stored, and decides by their number as it would by the lines.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Limits } from '../protocol/limits.ts';
import type { Hold, InFlight } from './in-flight.ts';
import type { Refusal } from './refusal.ts';
import { receiptLines, unreadableReceipt } from './staged-receipts.ts';

export type JobReceipt =
  /** The first line, in base64, and who stores the inputs. */
  | readonly ['job', string, string]
  /** So many inputs have come by now, of so many characters. */
  | readonly ['arrived', number, number]
  /** Inputs that have come refer to these blobs, each with the index of the first that does; and whether any stands for bytes. */
  | readonly ['blobs', readonly BlobUse[], boolean]
  /** Something is wrong with what was sent, which is answered so. */
  | readonly ['refused', LineRefusal, string]
  /** All of them, which are few, and the hash of the body, where it has a key. Nothing was stored. */
  | readonly ['few', string | null, readonly string[]]
  /** The hash, how many inputs there are, and of how many characters. All are stored. */
  | readonly ['whole', string | null, number, number];

type BlobUse = readonly [sha256: string, index: number];

/** What can be said of lines by whoever reads them. */
const lineRefusals = ['validation_failed', 'payload_too_large', 'request_timeout', 'busy'] as const;
export type LineRefusal = (typeof lineRefusals)[number];

const jobKeyHeader = 'x-muster-job-key';
/** Without a link nothing is said by a 103; this one says what the request is about. */
const link = '</api/jobs>; rel=self';

export function jobReceiptLine(receipt: JobReceipt): string {
  return `${JSON.stringify(receipt)}\n`;
}

/** How a refusal of lines is told; undefined for any other. */
export function lineRefusalOf({ code, message }: Refusal): JobReceipt | undefined {
  const known = lineRefusals.find((each) => each === code);
  return known && ['refused', known, message];
}

/** Under which key the member stores the inputs. */
export function sayJobKey(raw: ServerResponse, key: number): void {
  raw.writeEarlyHints({ link, [jobKeyHeader]: String(key) });
}

export function jobKeyOf(headers: IncomingHttpHeaders): number | null {
  const key = Number(headers[jobKeyHeader]);
  return Number.isSafeInteger(key) && key > 0 ? key : null;
}

/** Throws a `Refusal` for what no member says. */
export async function* jobReceiptsOf(
  message: IncomingMessage,
  { bodyBytes }: Limits,
  inFlight: InFlight,
  hold: Hold,
): AsyncGenerator<JobReceipt> {
  // In base64, or inputs that are few as a list of texts: neither is as long as twice of what it says.
  const longestBytes = 2 * bodyBytes + 4 * 1024 * 1024;
  const keep = (bytes: number) => {
    if (!hold.resize(bytes)) throw inFlight.full();
  };
  for await (const line of receiptLines(message, longestBytes, keep)) yield toReceipt(line);
}

function toReceipt(line: unknown): JobReceipt {
  const [what, first, second, third] = Array.isArray(line) ? (line as unknown[]) : [];
  if (what === 'job' && isText(first) && isText(second)) return [what, first, second];
  if (what === 'arrived' && isCount(first) && isCount(second)) return [what, first, second];
  if (what === 'blobs' && isListOf(first, isBlobUse)) return [what, first, second === true];
  if (what === 'refused' && isText(second)) {
    const code = lineRefusals.find((each) => each === first);
    if (code !== undefined) return [what, code, second];
  }
  if (what === 'few' && isHash(first) && isListOf(second, isText)) return [what, first, second];
  if (what === 'whole' && isHash(first) && isCount(second) && isCount(third)) {
    return [what, first, second, third];
  }
  throw unreadableReceipt();
}

function isBlobUse(value: unknown): value is BlobUse {
  return Array.isArray(value) && isText(value[0]) && isCount(value[1]);
}

function isListOf<T>(value: unknown, is: (each: unknown) => each is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isHash(value: unknown): value is string | null {
  return value === null || isText(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
