// Puts the values of large results in the place of their references. Results stay in order; while blobs are
// fetched, the results behind them are read ahead, as far as there is room.

import { type PayloadReference, payloadReferenceOf } from '../protocol/blob-reference.ts';
import type { TaskResult } from '../protocol/resources.ts';
import { type BlobOptions, getBlobBytes, getBlobText } from './blobs.ts';
import type { Endpoint } from './request.ts';
import type { ResultLine } from './result-line.ts';

/** Results in hand at the same time, while a blob is fetched. A blob may have 64 MiB. */
const AT_ONCE = 4;
/** The value stands last in a result, so nothing inside of it can be taken for it. */
const lastValue = /"value":(\{[^{}]*\})\}$/;

export async function* withValues(
  endpoint: Endpoint,
  open: (signal: AbortSignal) => AsyncGenerator<ResultLine, void, void>,
  { signal: outer, patienceMs }: BlobOptions & { readonly patienceMs: number },
): AsyncGenerator<ResultLine, void, void> {
  // Whoever leaves early ends a request that waits for its next line, too.
  const leave = new AbortController();
  const { signal } = leave;
  const follow = () => leave.abort(outer?.reason);
  if (outer?.aborted === true) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  const options = { signal, patienceMs };
  const lines = open(signal);
  const inHand: Promise<ResultLine>[] = [];
  let coming: Promise<IteratorResult<ResultLine, void>> | undefined;
  let hasEnded = false;
  try {
    for (;;) {
      const [oldest] = inHand;
      if (oldest === undefined && hasEnded) return;
      const isFull = hasEnded || inHand.length >= AT_ONCE;
      if (!isFull) coming ??= oldest === undefined ? lines.next() : unheard(lines.next());
      if (
        oldest !== undefined &&
        (isFull || coming === undefined || (await isFirst(oldest, coming)))
      ) {
        yield await oldest;
        void inHand.shift();
        continue;
      }
      const { done, value: line } = await coming!;
      coming = undefined;
      hasEnded = done === true;
      if (done === true) continue;
      const reference = referenceIn(line.text);
      if (reference !== undefined) {
        inHand.push(unheard(valueOf(endpoint, line, reference, options)));
      } else if (inHand.length > 0) inHand.push(Promise.resolve(line));
      else yield line;
    }
  } finally {
    const end = lines.return();
    // A line that is under way comes first, and nobody knows when: it ends with the request.
    if (coming === undefined) await end;
    else void unheard(end);
    outer?.removeEventListener('abort', follow);
    // Where all has come, nothing is left to be ended, and most is.
    if (!hasEnded || inHand.length > 0) leave.abort();
  }
}

/** The reader may leave before anybody looks at what becomes of it. */
function unheard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Whether the one has an outcome before the other. */
function isFirst(one: Promise<unknown>, other: Promise<unknown>): Promise<boolean> {
  const told = (answer: boolean) => () => answer;
  return Promise.race([one.then(told(true), told(true)), other.then(told(false), told(false))]);
}

function referenceIn(text: string): PayloadReference | undefined {
  if (!text.endsWith('}}')) return undefined;
  const [, value] = lastValue.exec(text.slice(-200)) ?? [];
  return value === undefined ? undefined : payloadReferenceOf(value);
}

async function valueOf(
  endpoint: Endpoint,
  line: ResultLine,
  { sha256, isBytes }: PayloadReference,
  options: BlobOptions,
): Promise<ResultLine> {
  if (isBytes) {
    const bytes = await getBlobBytes(endpoint, { $blob: sha256 }, options);
    // As a text they stay a reference: there is no other in JSON.
    return { ...line, result: { ...line.result, value: bytes } as TaskResult };
  }
  const json = await getBlobText(endpoint, { $blob: sha256 }, options);
  const value: unknown = JSON.parse(json);
  const head = line.text.slice(0, line.text.lastIndexOf('"value":'));
  return {
    // A line stays a line: between the values of JSON a break is a space like any other.
    text: `${head}"value":${json.replaceAll(/[\r\n]/g, ' ')}}`,
    result: { ...line.result, value } as TaskResult,
    replaces: line.replaces,
  };
}
