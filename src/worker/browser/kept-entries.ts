// Where a browser keeps things: a list of entries by name, in IndexedDB. Whoever uses it bounds the time that it
// may take: a database that another tab blocks, or a browser that asks a person, does not answer.

export interface KeptEntries {
  readAll(): Promise<ReadonlyMap<string, unknown>>;
  /** All or nothing, in the order of the calls. Undefined removes. */
  write(changes: ReadonlyMap<string, unknown>): Promise<void>;
  clear(): Promise<void>;
  /** Called when all that was kept may be gone, although nobody here has removed it: a person has, or the browser. */
  onLost: () => void;
}

const databaseName = 'muster-worker';
const storeName = 'kept';

export class IndexedEntries implements KeptEntries {
  onLost = (): void => {};
  readonly #factory: IDBFactory;
  #opening: Promise<IDBDatabase> | null = null;

  constructor(factory: IDBFactory) {
    this.#factory = factory;
  }

  async readAll(): Promise<ReadonlyMap<string, unknown>> {
    const entries = new Map<string, unknown>();
    await this.#transact('readonly', (store) => {
      const asked = store.openCursor();
      asked.addEventListener('success', () => {
        const cursor = asked.result;
        if (cursor === null) return;
        if (typeof cursor.key === 'string') entries.set(cursor.key, cursor.value);
        cursor.continue();
      });
    });
    return entries;
  }

  async write(changes: ReadonlyMap<string, unknown>): Promise<void> {
    await this.#transact('readwrite', (store, transaction) => {
      for (const [key, value] of changes) {
        if (value === undefined) store.delete(key);
        else store.put(value, key);
      }
      // The thread may be gone before the browser would commit by itself.
      transaction.commit();
    });
  }

  async clear(): Promise<void> {
    await this.#transact('readwrite', (store) => void store.clear());
  }

  #transact(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore, transaction: IDBTransaction) => void,
  ): Promise<void> {
    return this.#open().then(
      (database) =>
        new Promise((resolve, reject) => {
          const transaction = database.transaction(storeName, mode);
          transaction.addEventListener('complete', () => resolve());
          transaction.addEventListener('abort', () => {
            reject(transaction.error ?? new Error('it was aborted'));
          });
          work(transaction.objectStore(storeName), transaction);
        }),
    );
  }

  #lose(): void {
    this.#opening = null;
    this.onLost();
  }

  #open(): Promise<IDBDatabase> {
    this.#opening ??= new Promise((resolve, reject) => {
      const asked = this.#factory.open(databaseName, 1);
      asked.addEventListener('upgradeneeded', () => asked.result.createObjectStore(storeName));
      asked.addEventListener('error', () => {
        this.#opening = null;
        reject(asked.error ?? new Error('it was not opened'));
      });
      asked.addEventListener('success', () => {
        const database = asked.result;
        // Another version of the page, or the browser that clears its data, waits for it to be closed.
        database.addEventListener('versionchange', () => {
          database.close();
          // It does not tell of an end that was asked for here.
          this.#lose();
        });
        database.addEventListener('close', () => this.#lose());
        resolve(database);
      });
    });
    return this.#opening;
  }
}
