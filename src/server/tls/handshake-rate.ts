// How many handshakes of TLS one address may begin. Each costs the coordinator about a millisecond, which is
// more than most requests. The bound is a mean over some seconds, so that the devices of an address may all
// come back at once.

/** The bound holds for so many seconds together. */
const seconds = 10;
/** Of the addresses that came last; one that is forgotten begins anew. */
const mostAddresses = 10_000;

interface Bucket {
  left: number;
  at: number;
}

export class HandshakeRate {
  private readonly perSecond: number;
  private readonly now: () => number;
  private readonly buckets = new Map<string, Bucket>();

  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.perSecond = perSecond;
    this.now = now;
  }

  /** False when the address has begun too many. */
  take(address: string): boolean {
    const now = this.now();
    const full = this.perSecond * seconds;
    const bucket = this.buckets.get(address) ?? { left: full, at: now };
    bucket.left = Math.min(full, bucket.left + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    this.buckets.delete(address);
    if (this.buckets.size >= mostAddresses) this.buckets.delete(this.buckets.keys().next().value!);
    this.buckets.set(address, bucket);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }
}
