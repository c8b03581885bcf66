// A server that vanishes says nothing: its connection stays open for many minutes. So whoever waits for long asks over
// another connection whether anybody is still at work at the other end.

import type { Client } from 'pg';
import type { Address } from './address.ts';

/** A connection that can be cut; the pool's are as good. */
type Cuttable = Pick<Client, 'query'>;

/** True and false: whether the server still knows this process of its own. Rejects when it cannot be asked. */
export type IsKnown = (address: Address, pid: number) => Promise<boolean>;

export interface Doubts {
  readonly isKnown: IsKnown;
  /** From when on it is asked, and how often. */
  readonly doubtMs: number;
  /** After it the connection is given up. */
  readonly silenceMs: number;
  /** Silence is when nobody could be asked, not when the work takes its time. */
  readonly isPatient: boolean;
}

/** Cuts the connection when nobody is at its other end any more. Returns what ends the watch. */
export function watch(client: Cuttable, address: Address, doubts: Doubts): () => void {
  const { isKnown, doubtMs, silenceMs, isPatient } = doubts;
  const { processID: pid } = client as Cuttable & { readonly processID: number };
  let heardAt = performance.now();
  let isOver = false;
  const look = async () => {
    const answer = await isKnown(address, pid).catch(() => undefined);
    if (isOver) return;
    const now = performance.now();
    if (answer === true && isPatient) heardAt = now;
    if (answer === false || now - heardAt > silenceMs) cut(client);
    else timer = setTimeout(() => void look(), doubtMs);
  };
  let timer = setTimeout(() => void look(), doubtMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Cuts the connection when the work on it takes longer. */
export async function within<T>(ms: number, client: Cuttable, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => cut(client), ms);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** What waits for an answer fails at once. */
export function cut(client: Cuttable): void {
  const { connection } = client as Cuttable & {
    readonly connection: { readonly stream: { destroy(): void } };
  };
  connection.stream.destroy();
}
