// How a trunk between two members begins, and how each sees that the other is there. Both sides greet when it is open;
// then each sends a ping every second, and three without a sign of life end it. What is said besides is in
// `trunk-records.ts`.

import type { Role } from './port.ts';

export const trunkPath = '/api/trunk';
/** The secret of the cluster, beside what one member asks of another. */
export const proofHeader = 'x-muster-member';
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

/** The part of a WebSocket that both ends of a trunk use. */
export interface TrunkSocket {
  readonly bufferedAmount: number;
  send(frame: string, written?: () => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: Told, isBinary: boolean) => void): unknown;
  on(event: 'ping' | 'pong', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'message', listener: (data: Told) => void): unknown;
  once(event: 'open' | 'close', listener: () => void): unknown;
}

/** What has come in a frame. */
interface Told {
  toString(): string;
}

/** Below a socket: what shows that something comes before it is a whole frame. */
export interface TrunkNetwork {
  on(event: 'data', listener: () => void): unknown;
}

/** How time goes on at an end of a trunk. */
export interface TrunkClock {
  /** Calls once, later; returns what cancels it. */
  setTimer(ms: number, fn: () => void): () => void;
  /** Calls again and again, and keeps no process alive; returns what ends it. */
  often(ms: number, fn: () => void): () => void;
  /** Calls when what runs now is over. */
  defer(fn: () => void): void;
}

export const realTrunkClock: TrunkClock = {
  setTimer: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
  often: (ms, fn) => {
    const timer = setInterval(fn, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
  defer: (fn) => void setImmediate(fn),
};

export interface PulseOptions {
  readonly clock?: TrunkClock;
  readonly everyMs?: number;
  /** Below the socket: a long frame shows life before it is whole. */
  readonly network?: TrunkNetwork | undefined;
  /** False while nothing is read here: what the other side says then is not heard. */
  readonly isListening?: () => boolean;
}

/** Calls `onSilence`, once, when the other side has left three pings in a row without a sign of life. */
export function watchPulse(
  socket: TrunkSocket,
  onSilence: () => void,
  {
    clock = realTrunkClock,
    everyMs = pingMs,
    network,
    isListening = () => true,
  }: PulseOptions = {},
): void {
  let missed = 0;
  const heard = () => {
    missed = 0;
  };
  const stop = clock.often(everyMs, () => {
    if (missed < mostMissed) {
      if (isListening()) missed++;
      return socket.ping();
    }
    stop();
    onSilence();
  });
  socket.on('pong', heard);
  socket.on('ping', heard);
  socket.on('message', heard);
  network?.on('data', heard);
  socket.once('close', stop);
}
