import { expect, test } from 'vitest';
import { Guests } from './guests.ts';
import { standInGuest } from './testing/stand-in-guest.ts';

test('what runs a kind is made on its first use, once', async () => {
  const made: string[] = [];
  const maker = (kind: string) => () => {
    made.push(kind);
    return Promise.resolve(standInGuest());
  };
  const guests = new Guests({ wasm: maker('wasm'), python: maker('python') });
  expect(made).toEqual([]);
  const [first, second] = await Promise.all([guests.get('wasm'), guests.get('wasm')]);
  expect(first).toBe(second);
  expect(await guests.get('wasm')).toBe(first);
  expect(made).toEqual(['wasm']);
});

test('what could not be made is tried again', async () => {
  let tries = 0;
  const guests = new Guests({
    wasm: () =>
      ++tries < 2 ? Promise.reject(new Error('no memory')) : Promise.resolve(standInGuest()),
  });
  await expect(guests.get('wasm')).rejects.toThrow('no memory');
  await expect(guests.get('wasm')).resolves.toBeDefined();
});

test.each(['cobol', 'toString', '__proto__'])(
  '%s is no kind that a child can run',
  async (kind) => {
    await expect(new Guests({}).get(kind)).rejects.toThrow(
      `cannot run programs of the kind ${kind}`,
    );
  },
);
