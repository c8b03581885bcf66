// Who was let in to the metrics of the leader: for a while they see those of this member also when nobody leads,
// which is when they are needed most.

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const rememberedMs = 10 * 60_000;
const mostRemembered = 1_000;

export class Watchers {
  readonly #until = new Map<string, number>();

  let(message: IncomingMessage, from: string): void {
    const key = keyOf(message, from);
    this.#until.delete(key);
    this.#until.set(key, performance.now() + rememberedMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > mostRemembered) this.#until.delete(oldest!);
  }

  forget(message: IncomingMessage, from: string): void {
    this.#until.delete(keyOf(message, from));
  }

  may(message: IncomingMessage, from: string): boolean {
    return (this.#until.get(keyOf(message, from)) ?? 0) > performance.now();
  }
}

/** Where nobody needs a token it counts from where somebody asks. */
function keyOf({ headers }: IncomingMessage, from: string): string {
  const shown = [headers.authorization ?? '', headers.cookie ?? '', from];
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64');
}
