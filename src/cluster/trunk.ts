// How a trunk between two members begins, and how each sees that the other is there. Both sides greet when it is open;
// then each sends a ping every second, and three without a sign of life end it. What is said besides is in
// `trunk-records.ts`.

import type { Role } from './port.ts';

export const trunkPath = '/api/trunk';
export const pingMs = 1_000;
/** A frame of the leader: longer than any that there is. */
export const mostFrameBytes = 64 * 1024 * 1024;
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

export interface PulseOptions {
  readonly everyMs?: number;
  /** Below the socket: a long frame shows life before it is whole. */
  readonly network?: { on(event: 'data', listener: () => void): unknown } | undefined;
  /** False while nothing is read here: what the other side says then is not heard. */
  readonly isListening?: () => boolean;
}

/** Calls `onSilence`, once, when the other side has left three pings in a row without a sign of life. */
export function watchPulse(
  socket: Beating,
  onSilence: () => void,
  { everyMs = pingMs, network, isListening = () => true }: PulseOptions = {},
): void {
  let missed = 0;
  const heard = () => {
    missed = 0;
  };
  const timer = setInterval(() => {
    if (missed < mostMissed) {
      if (isListening()) missed++;
      return socket.ping();
    }
    clearInterval(timer);
    onSilence();
  }, everyMs);
  timer.unref();
  socket.on('pong', heard);
  socket.on('ping', heard);
  socket.on('message', heard);
  network?.on('data', heard);
  socket.once('close', () => clearInterval(timer));
}
