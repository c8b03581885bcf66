// Limits the sockets that are open and have not said hello, in all and from one address. Each handshake
// ends with the hello or after some seconds, so only a client that opens masses of them meets the limit.

/** Share of the limit that one address may use. */
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

  /**
   * Null when there are too many; else a function to call when it has ended, which may be called
   * twice.
   */
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
