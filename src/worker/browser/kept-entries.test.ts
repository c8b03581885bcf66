import { expect, test } from 'vitest';
import { IndexedEntries } from './kept-entries.ts';

/** A database of a browser, as far as it is used here, that does what it is told at once. */
class FakeDatabase extends EventTarget {
  isClosed = false;
  readonly written: unknown[] = [];

  close(): void {
    this.isClosed = true;
  }

  transaction() {
    if (this.isClosed) throw new DOMException('It is closed.', 'InvalidStateError');
    const transaction = Object.assign(new EventTarget(), {
      objectStore: () => ({ put: (value: unknown) => this.written.push(value) }),
      commit: () => queueMicrotask(() => transaction.dispatchEvent(new Event('complete'))),
    });
    return transaction;
  }
}

function fakeFactory() {
  const databases: FakeDatabase[] = [];
  const open = () => {
    const database = new FakeDatabase();
    databases.push(database);
    const asked = Object.assign(new EventTarget(), { result: database });
    queueMicrotask(() => asked.dispatchEvent(new Event('success')));
    return asked;
  };
  return { databases, factory: { open } as unknown as IDBFactory };
}

test.each(['versionchange', 'close'])('opens the database anew after its %s', async (type) => {
  const { databases, factory } = fakeFactory();
  const entries = new IndexedEntries(factory);
  await entries.write(new Map([['a', 1]]));
  databases[0]!.dispatchEvent(new Event(type));
  await entries.write(new Map([['b', 2]]));
  expect(databases.map(({ written }) => written)).toEqual([[1], [2]]);
});
