// Room for the inputs of one submission that arrives as a stream: taken as they come, so that nobody fills the disk
// with what will be refused.

import type { Rejection } from '../port/rejection.ts';
import type { JobQuotas } from './job-quotas.ts';
import type { Holding } from './owner-bytes.ts';

export class StreamRoom {
  /** Why there is no room. It stays so: what has come by then was dropped. */
  refusal: Rejection<'quota_exceeded'> | undefined;
  holding: Holding | undefined;
  taken = 0;
  private readonly quotas: JobQuotas;

  constructor(quotas: JobQuotas) {
    this.quotas = quotas;
  }

  /** For so many bytes in all. */
  async grow(bytes: number): Promise<boolean> {
    if (this.refusal !== undefined) return false;
    this.holding ??= await this.quotas.hold();
    const { holding } = this;
    if (holding === undefined) return true;
    holding.take(bytes - this.taken);
    this.taken = bytes;
    this.refusal = this.quotas.refuseBytes(holding);
    if (this.refusal !== undefined) this.leave();
    return this.refusal === undefined;
  }

  leave(): void {
    this.holding?.leave();
    this.holding = undefined;
  }
}
