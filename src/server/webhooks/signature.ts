// Signs messages as the convention "Standard Webhooks" has it, so that its libraries verify them:
//
//   webhook-signature: v1,base64(HMAC-SHA256(key, id.timestamp.body))
//
// The timestamp, in seconds, is that of the attempt: a receiver refuses old ones, so that nobody can send a
// message again that he has overheard.

import { createHmac } from 'node:crypto';

/** A secret of the convention is the prefix and the key in base64; any other is the key itself. */
const prefix = 'whsec_';

export function keyOf(secret: string): Buffer {
  return secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret, 'utf8');
}

/** Undefined when it can be used; else what is wrong, as a sentence goes on after the name of the field. */
export function secretProblem(secret: string): string | undefined {
  if (!secret.startsWith(prefix)) return undefined;
  const text = secret.slice(prefix.length);
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(text) && keyOf(secret).length >= leastKeyBytes)
    return undefined;
  return `begins with ${prefix}: then a key of at least ${leastKeyBytes} bytes in base64 must follow`;
}

const leastKeyBytes = 16;

export interface Signed {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

export function signatureOf(secret: string, { id, timestamp, body }: Signed): string {
  const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`);
  return `v1,${hmac.digest('base64')}`;
}
