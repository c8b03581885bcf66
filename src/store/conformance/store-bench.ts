// What a store brings along to be tested, and what the tests get of it.

import type { Store } from '../store.ts';

/** A place for one database. */
export interface StorePlace {
  /** Opens it; what was opened before is gone as in a crash, or was closed. */
  open(): Promise<Store>;
  /** The JSON texts of all programs that lie there, in alphabetical order. */
  programs(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

/** The store under test, opened on an empty place before every test. */
export interface StoreBench {
  readonly store: Store;
  /** Closes the store and opens its place again. */
  reopen(): Promise<Store>;
  programs(): Promise<readonly string[]>;
}
