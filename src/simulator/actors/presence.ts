// What a device says of itself beside its work: that it rests, and how long it may be silent for now. It is added to
// what the device sends anyway.

import type { HeartbeatMessage, HelloMessage, WorkerMessage } from '../../protocol/messages.ts';

export interface DeviceRest {
  readonly because: string;
  /** Whether it goes on with what it has begun; else it gives that back. */
  readonly keeps: boolean;
  /** The lease for now, of a device that is about to sleep. */
  readonly leaseSeconds?: number;
}

type Said = Pick<HeartbeatMessage, 'rest' | 'lease_seconds'>;

/** In a heartbeat. */
export function saidOf(rest: DeviceRest | null): Said {
  if (rest === null) return {};
  const { because, leaseSeconds } = rest;
  return {
    rest: { because },
    ...(leaseSeconds === undefined ? {} : { lease_seconds: leaseSeconds }),
  };
}

export function withPresence(
  messages: readonly WorkerMessage[],
  rest: DeviceRest | null,
): readonly WorkerMessage[] {
  if (rest === null) return messages;
  return messages.map((message): WorkerMessage => {
    if (message.type === 'heartbeat') return { ...message, ...saidOf(rest) };
    if (message.type === 'hello') return { ...message, rest: { because: rest.because } };
    return message;
  });
}

export function isPresence(message: WorkerMessage): message is HelloMessage | HeartbeatMessage {
  return message.type === 'hello' || message.type === 'heartbeat';
}
