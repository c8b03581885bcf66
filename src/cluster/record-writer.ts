// Writes records on a trunk: those of a turn of the event loop as one frame, or several when they are large. What the
// other side has not read stays in memory, so whoever writes asks whether it is behind.

/** A frame ends when its records reach this; a single record may be larger. */
const frameCharacters = 1024 * 1024;
/** With so many unread bytes the other side is behind. */
const mostUnreadBytes = 4 * 1024 * 1024;

/** The part of a socket that is written to. */
export interface WrittenTo {
  readonly bufferedAmount: number;
  send(frame: string, written: () => void): void;
}

export class RecordWriter {
  readonly #socket: WrittenTo;
  readonly #defer: (fn: () => void) => void;
  readonly #mostUnreadBytes: number;
  #records: string[] = [];
  #characters = 0;
  /** Of records that are not with the socket yet. */
  #waiting: (() => void)[] = [];
  #isOver = false;

  constructor(
    socket: WrittenTo,
    defer: (fn: () => void) => void = setImmediate,
    most = mostUnreadBytes,
  ) {
    this.#socket = socket;
    this.#defer = defer;
    this.#mostUnreadBytes = most;
  }

  get isBehind(): boolean {
    return !this.#isOver && this.unread > this.#mostUnreadBytes;
  }

  /** What the other side has not read, as far as is known. */
  get unread(): number {
    return this.#socket.bufferedAmount + this.#characters;
  }

  /** Resolves when the other side is not behind, or is gone. */
  caughtUp(): Promise<void> {
    if (!this.isBehind) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  write(record: string): void {
    if (this.#isOver) return;
    if (this.#records.length === 0) this.#defer(() => this.flush());
    this.#records.push(record);
    this.#characters += record.length;
    if (this.#characters >= frameCharacters) this.flush();
  }

  flush(): void {
    if (this.#records.length === 0 || this.#isOver) return;
    const frame = `[${this.#records.join()}]`;
    this.#records = [];
    this.#characters = 0;
    this.#socket.send(frame, () => this.#written());
  }

  /** Nothing is written any more. */
  end(): void {
    this.#isOver = true;
    this.#records = [];
    this.#characters = 0;
    this.#wake();
  }

  #written(): void {
    if (!this.isBehind) this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
