// Sockets that are open and have not said hello: how many there may be, in all and from one address.
// Each ends with its hello or after some seconds, so only who opens them in masses meets the limit.

/** Of all that may be open, one address may have this share. */
const shareOfAddress = 0.5;

export class Handshakes {
  private readonly most: number;
  private readonly mostOfAddress: number;
  private count = 0;
  private readonly byAddress = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
    this.mostOfAddress = Math.ceil(most * shareOfAddress);
  }

  /** Null when there are too many; else what is to be called, once or more often, when it has ended. */
  begin(address: string): (() => void) | null {
    const ofAddress = this.byAddress.get(address) ?? 0;
    if (this.count >= this.most || ofAddress >= this.mostOfAddress) return null;
    this.count++;
    this.byAddress.set(address, ofAddress + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.end(address);
    };
  }

  private end(address: string): void {
    this.count--;
    const left = this.byAddress.get(address)! - 1;
    if (left === 0) this.byAddress.delete(address);
    else this.byAddress.set(address, left);
  }
}
