// What a store must provide to be tested, and what the tests are given.

import type { Store } from '../store.ts';

/** A place for one database. */
export interface StorePlace {
  /** Opens the database. A store that was open before was closed, or is shut out as in a crash. */
  open(): Promise<Store>;
  /** The JSON texts of all programs that are stored, in alphabetical order. */
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
