// The answer of the leader on its way to the client, as fast as the client takes it. Whichever side ends first, the
// other one ends with it: an answer that broke off at the leader breaks off here.

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { PassedBody } from './passed-body.ts';
import { headersToClient } from './passed-headers.ts';

export interface RelayedAnswer {
  readonly answer: IncomingMessage;
  readonly upstream: ClientRequest;
  /** Its body, where it was read already. */
  readonly text: Buffer | null;
}

/** `onEnd` is called once. */
export function relay(
  { answer, upstream, text }: RelayedAnswer,
  raw: ServerResponse,
  body: Pick<PassedBody, 'end'>,
  onEnd: () => void,
): void {
  raw.writeHead(answer.statusCode!, answer.statusMessage, headersToClient(answer));
  raw.once('close', () => {
    onEnd();
    if (!answer.complete) upstream.destroy();
    body.end();
  });
  // What is said before all was sent is the answer to that: the leader takes the rest, or ends the connection.
  upstream.once('close', () => body.end());
  if (text !== null) {
    if (answer.complete) raw.end(text);
    else raw.destroy();
    return;
  }
  // The first line of a stream is told when it is there, and so is its head.
  if (answer.headers['content-length'] === undefined) raw.flushHeaders();
  answer.once('close', () => {
    if (!answer.complete) raw.destroy();
  });
  answer.on('error', () => raw.destroy());
  answer.pipe(raw);
}
