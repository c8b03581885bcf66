// A store whose commits a test can hold back, count and break.

import type { WriteBatch } from '../../src/store/rows.ts';
import { type Store, StoreFault } from '../../src/store/store.ts';

export interface Gate {
  readonly store: Store;
  /** Every batch that was committed, in order. */
  readonly commits: WriteBatch[];
  /** From now on commits wait until `open`. */
  shut(): void;
  open(): void;
  /** The next commit fails as on a full disk, and writes nothing. */
  breakNext(): void;
  /** Puts other functions in the place of the store's own. */
  override(functions: Partial<Store>): void;
}

export function gated(inner: Store): Gate {
  const commits: WriteBatch[] = [];
  let opened: Promise<void> = Promise.resolve();
  let open = () => undefined as void;
  let isBroken = false;
  const commit: Store['commit'] = async (batch, at) => {
    await opened;
    if (isBroken) throw new StoreFault('store_full', 'No space is left on the disk.');
    await inner.commit(batch, at);
    commits.push(batch);
  };
  const overrides: Partial<Store> = { commit };
  return {
    store: new Proxy(inner, {
      get: (target, name: keyof Store) =>
        overrides[name] ?? (target[name] as () => unknown).bind(target),
    }),
    override: (functions) => void Object.assign(overrides, functions),
    commits,
    shut: () => {
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    breakNext: () => {
      isBroken = true;
    },
  };
}
