// What a worker has received, in the numbers of whoever has assigned it. One dispatch may go out in several frames, or
// in none, and the worker counts frames. The coordinator takes what it has sent by then and the worker does not name for
// lost: so a dispatch counts only when all of it has arrived.

export class DispatchNumbers {
  /** Dispatches that have gone out whole, with the number of the last frame by then. */
  readonly #whole: { readonly dispatch: number; readonly lastFrame: number }[] = [];
  #reached = 0;

  /** All frames of the dispatch are on their way, and the last frame of all was this. */
  sent(dispatch: number, lastFrame: number): void {
    this.#whole.push({ dispatch, lastFrame });
  }

  /** The newest dispatch of which the worker has all, when it has this frame; 0 before the first. */
  receivedBy(frame: number): number {
    let count = 0;
    for (const { dispatch, lastFrame } of this.#whole) {
      if (lastFrame > frame) break;
      this.#reached = dispatch;
      count++;
    }
    this.#whole.splice(0, count);
    return this.#reached;
  }
}
