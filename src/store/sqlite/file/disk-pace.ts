// Whether the disk is so quick that to wait for it where the event loop runs costs less than the way to a thread and
// back, which on busy processors takes longer than a good disk. A slow one is tried again now and then.

/** Where the loop stands still for less, nobody notices. */
const quickMs = 1;
/** The share of the newest sync in what is taken for usual. */
const newestShare = 1 / 8;
/** Syncs beside the loop before the next try. */
const pause = 256;

export class DiskPace {
  #usualMs = 0;
  #pause = 0;

  /** Asked once for each sync. */
  isQuick(): boolean {
    if (this.#pause === 0) return true;
    this.#pause--;
    return false;
  }

  /** How long the sync took that the loop has waited for. */
  took(ms: number): void {
    this.#usualMs += (ms - this.#usualMs) * newestShare;
    if (this.#usualMs > quickMs) this.#pause = pause;
  }
}
