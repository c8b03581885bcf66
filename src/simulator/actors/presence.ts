// What a device over plain HTTP says of itself beside its work: that it rests, and how long it may be silent for now. The
// machine of a device on a socket says the same.

import type { HeartbeatMessage, HelloMessage, WorkerMessage } from '../../protocol/messages.ts';
import type { RestOrder } from '../../worker/machine/machine.ts';

type Said = Pick<HeartbeatMessage, 'rest' | 'lease_seconds'>;

/** In a heartbeat. */
export function saidOf(rest: RestOrder | null): Said {
  if (rest === null) return {};
  const { because, leaseSeconds } = rest;
  return {
    rest: { because },
    ...(leaseSeconds === undefined ? {} : { lease_seconds: leaseSeconds }),
  };
}

export function isPresence(message: WorkerMessage): message is HelloMessage | HeartbeatMessage {
  return message.type === 'hello' || message.type === 'heartbeat';
}
