// Sends a message to an address that a submitter has named. The name is resolved anew for each attempt, all
// that it leads to is checked, and the connection goes to what was checked, not to what a second look at the
// name would give. Nothing that the other side says is kept but its status. Redirects are not followed.

import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Deliver, Delivery, DeliveryOutcome } from '../../coordinator/port/notifications.ts';
import { type AddressRules, hostName } from './address-rules.ts';
import { signatureOf } from './signature.ts';
import { isOrdinaryPort } from './target.ts';

/** For everything: the name, the connection, the answer. */
const usualTimeoutMs = 10_000;
/** An answer is read to its end up to here, so that its sender is not cut off; then it is cut. */
const mostAnswerBytes = 16 * 1024;
const mostHeaderBytes = 16 * 1024;
/** A name may lead to many addresses; the first few are tried. */
const mostAddresses = 8;

export interface SenderOptions {
  readonly rules: AddressRules;
  /** Of the program. */
  readonly version: string;
  /** All addresses of a name; by default as the system resolves it. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
  readonly timeoutMs?: number;
}

export function createWebhookSender(options: SenderOptions): Deliver {
  const { timeoutMs = usualTimeoutMs } = options;
  return async (delivery, stopping) => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]);
    try {
      const url = new URL(delivery.url);
      const addresses = await addressesOf(url, options, signal);
      return outcomeOf(await send(url, addresses, delivery, options.version, signal));
    } catch (error) {
      if (signal.aborted) return failed(`no answer within ${timeoutMs / 1000} s`);
      return failed(error instanceof Unsendable ? error.message : wordsFor(error));
    }
  };
}

/** It must not be sent to this address; the message says why and names no address. */
class Unsendable extends Error {
  override readonly name = 'Unsendable';
}

async function addressesOf(
  url: URL,
  { rules, resolve = resolveByTheSystem }: SenderOptions,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const host = hostName(url.hostname);
  const family = isIP(host);
  const all = family === 0 ? await orAborted(resolve(host), signal) : [{ address: host, family }];
  if (all.length === 0) throw new Unsendable('the name is not known');
  if (rules.isNamed(host)) return all.slice(0, mostAddresses);
  // One that is not public is enough: whoever answers for the name may mean that one.
  if (!all.every(({ address }) => rules.allows(address))) {
    throw new Unsendable('the name leads to an address that is not public');
  }
  if (!isOrdinaryPort(url) && !all.every(({ address }) => rules.isChosen(address))) {
    throw new Unsendable('its port is not allowed');
  }
  return all.slice(0, mostAddresses);
}

function resolveByTheSystem(host: string): Promise<readonly LookupAddress[]> {
  return systemLookup(host, { all: true });
}

/** The look-up goes on by itself; nobody waits for it any more. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('aborted'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Resolves with the status. */
function send(
  url: URL,
  addresses: readonly LookupAddress[],
  delivery: Delivery,
  version: string,
  signal: AbortSignal,
): Promise<number> {
  const body = JSON.stringify(delivery.notice);
  const begin = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = begin(url, {
    method: 'POST',
    headers: headersOf(delivery, body, version),
    // A connection of its own, to one of these addresses.
    agent: false,
    lookup: only(addresses),
    maxHeaderSize: mostHeaderBytes,
    signal,
  });
  return new Promise((resolve, reject) => {
    let status: number | undefined;
    request.on('response', (answer) => {
      status = answer.statusCode ?? 0;
      drain(answer, request);
    });
    // The status is what counts: a rest that does not come, or is too much, is no failure.
    request.on('error', (error) => status === undefined && reject(error));
    request.on('close', () => {
      if (status === undefined) reject(new Unsendable('the connection was cut'));
      else resolve(status);
    });
    request.end(body);
  });
}

function drain(answer: IncomingMessage, request: ClientRequest): void {
  let bytes = 0;
  answer.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > mostAnswerBytes) request.destroy();
  });
  answer.on('error', () => undefined);
}

function headersOf({ id, secret, at }: Delivery, body: string, version: string) {
  const timestamp = Math.floor(at / 1000);
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': `muster/${version}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(secret === null
      ? {}
      : { 'webhook-signature': signatureOf(secret, { id, timestamp, body }) }),
  };
}

/** Whatever name is asked for: these. Names that are addresses are not asked for, and were checked. */
function only(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, { all }, answer) => {
    if (all === true) return answer(null, [...addresses]);
    answer(null, addresses[0]!.address, addresses[0]!.family);
  };
}

function outcomeOf(status: number): DeliveryOutcome {
  const answer = String(status);
  if (status >= 200 && status < 300) return { outcome: 'delivered', answer };
  if (status === 410) return { outcome: 'refused', answer };
  return failed(
    status >= 300 && status < 400 ? `${answer}, and redirects are not followed` : answer,
  );
}

function failed(answer: string): DeliveryOutcome {
  return { outcome: 'failed', answer };
}

/** The message of the error may have what the other side has sent; its code has not. */
function wordsFor(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !/^[A-Z0-9_]{1,60}$/.test(code)) return 'it could not be sent';
  return words.get(code) ?? `it could not be sent (${code})`;
}

const words = new Map([
  ['ENOTFOUND', 'the name is not known'],
  ['EAI_AGAIN', 'the name cannot be looked up at the moment'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was cut'],
  ['EPIPE', 'the connection was cut'],
  ['ETIMEDOUT', 'no connection'],
  ['EHOSTUNREACH', 'no connection'],
  ['ENETUNREACH', 'no connection'],
]);
