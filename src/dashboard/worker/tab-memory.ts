// What this tab remembers over a reload, and nothing longer: the link until it has let the device in, whether it
// helped, and whether it was paused by hand; and, for the next page of this browser, that it was closed. A browser may
// forbid that; then a reload begins from the front.

const prefix = 'muster.worker.';

export type TabFact = 'token' | 'helping' | 'paused' | 'closed';

/** As `sessionStorage` and `localStorage`. */
export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export class TabMemory {
  readonly #open: () => TextStorage;

  /** `open` may throw, as reading `sessionStorage` does where it is forbidden. */
  constructor(open: () => TextStorage) {
    this.#open = open;
  }

  read(fact: TabFact): string | null {
    try {
      return this.#open().getItem(prefix + fact);
    } catch {
      return null;
    }
  }

  /** Null: forget it. */
  write(fact: TabFact, value: string | null): void {
    try {
      if (value === null) this.#open().removeItem(prefix + fact);
      else this.#open().setItem(prefix + fact, value);
    } catch {
      // It will not be remembered.
    }
  }

  clear(): void {
    for (const fact of ['token', 'helping', 'paused'] as const) this.write(fact, null);
  }
}
