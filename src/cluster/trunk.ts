// What two members say on the trunk between them, first stage: who they are, and that they are there. Both sides
// send one record when it is open; then each sends a ping every second, and three without an answer end it.

import type { Role } from './port.ts';

export const trunkPath = '/api/trunk';
export const pingMs = 1_000;
const mostMissed = 3;

/** The first record of both sides. */
export interface TrunkGreeting {
  /** Version of what is said here. */
  readonly trunk: 1;
  /** Of whoever asks: the term of the leader that it looks for. Of whoever answers: the term that it leads. */
  readonly term: string | null;
  readonly member: string;
  /** Of the program. */
  readonly version: string;
  /** Of whoever answers. */
  readonly role?: Role;
}

/** Null for what is no greeting. */
export function readGreeting(text: string): TrunkGreeting | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { trunk, term, member } = value as Partial<Record<keyof TrunkGreeting, unknown>>;
  const isTerm = term === null || typeof term === 'string';
  return trunk === 1 && isTerm && typeof member === 'string' ? (value as TrunkGreeting) : null;
}

/** The part of a socket that shows whether the other side is there. */
interface Beating {
  ping(): void;
  on(event: 'pong' | 'ping' | 'message', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** Calls `onSilence`, once, when the other side has left three pings in a row without a sign of life. */
export function watchPulse(socket: Beating, onSilence: () => void, everyMs = pingMs): void {
  let missed = 0;
  const heard = () => {
    missed = 0;
  };
  const timer = setInterval(() => {
    if (missed < mostMissed) {
      missed++;
      return socket.ping();
    }
    clearInterval(timer);
    onSilence();
  }, everyMs);
  timer.unref();
  socket.on('pong', heard);
  socket.on('ping', heard);
  socket.on('message', heard);
  socket.once('close', () => clearInterval(timer));
}
