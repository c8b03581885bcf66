// Why a worker takes nothing new: it leaves, it was told to drain, it rests. Each begins and ends by itself, and it
// takes tasks while none of them holds.

import { leavingField } from '../../protocol/leaving.ts';
import type { HeartbeatMessage, HelloMessage } from '../../protocol/messages.ts';
import type { RestOrder } from './port.ts';

export class Standing {
  /** It was told to leave by its own process. */
  isLeaving = false;
  /** The coordinator asked to take nothing new. */
  isDraining = false;
  rest: RestOrder | null = null;

  get isAccepting(): boolean {
    return !this.isLeaving && !this.isDraining && this.rest === null;
  }

  inHello(): Pick<HelloMessage, 'draining' | 'rest'> {
    const { rest } = this;
    const resting = rest === null ? {} : { rest: { because: rest.because } };
    return { ...leavingField(this.isLeaving), ...resting };
  }

  inHeartbeat(): Pick<HeartbeatMessage, 'draining' | 'rest' | 'lease_seconds'> {
    const seconds = this.rest?.leaseSeconds;
    return { ...this.inHello(), ...(seconds === undefined ? {} : { lease_seconds: seconds }) };
  }
}

export function isSameRest(one: RestOrder | null, other: RestOrder | null): boolean {
  if (one === null || other === null) return one === other;
  const isSameWay = one.keeps === other.keeps && one.leaseSeconds === other.leaseSeconds;
  return isSameWay && one.because === other.because;
}
