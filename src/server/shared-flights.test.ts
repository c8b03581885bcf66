import { expect, test } from 'vitest';
import { SharedFlights } from './shared-flights.ts';

/** Things that are made when the test says so; each is the number of the one that was begun. */
class Workshop {
  now = 0;
  readonly flights = new SharedFlights<number>(() => this.now);
  readonly #begun: PromiseWithResolvers<number | undefined>[] = [];

  get begun(): number {
    return this.#begun.length;
  }

  ask(): Promise<number | undefined> {
    return this.flights.join(() => {
      const making = Promise.withResolvers<number | undefined>();
      this.#begun.push(making);
      return making.promise;
    });
  }

  async end(result: 'well' | 'given up' | Error = 'well'): Promise<void> {
    const making = this.#begun.at(-1)!;
    if (result === 'well') making.resolve(this.#begun.length);
    else if (result === 'given up') making.resolve(undefined);
    else making.reject(result);
    await making.promise.catch(() => undefined);
    // Whoever waits begins in turns of their own.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('who asks while one is made gets the next, one for all of them', async () => {
  const shop = new Workshop();
  const first = shop.ask();
  const others = [shop.ask(), shop.ask(), shop.ask()];
  expect(shop.begun).toBe(1);
  await shop.end();
  expect(await first).toBe(1);
  expect(shop.begun).toBe(2);
  const late = shop.ask();
  await shop.end();
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  expect(shop.begun).toBe(3);
  await shop.end();
  expect(await late).toBe(3);
});

test('who asks when nothing is made gets one that begins at once', async () => {
  const shop = new Workshop();
  const first = shop.ask();
  await shop.end();
  await first;
  const second = shop.ask();
  expect(shop.begun).toBe(2);
  await shop.end();
  expect(await second).toBe(2);
});

test('a failure is for those who shared it, and the next is made all the same', async () => {
  const shop = new Workshop();
  const failing = shop.ask();
  const next = shop.ask();
  failing.catch(() => undefined);
  await shop.end(new Error('no disk'));
  await expect(failing).rejects.toThrow('no disk');
  await shop.end();
  expect(await next).toBe(2);
});

test('what cannot be made for all is tried again after a minute', async () => {
  const shop = new Workshop();
  const asked = [shop.ask(), shop.ask()];
  await shop.end('given up');
  expect(await Promise.all(asked)).toEqual([undefined, undefined]);
  expect(await shop.ask()).toBe(undefined);
  expect(shop.begun).toBe(1);
  shop.now = 60_000;
  const again = shop.ask();
  await shop.end();
  expect(await again).toBe(2);
});
