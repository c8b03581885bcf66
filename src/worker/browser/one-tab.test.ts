import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OneTab, type TabChannel, type TabPlatform } from './one-tab.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The locks of a browser, as far as they are needed. */
class Locks {
  #isHeld = false;
  #waiting: (() => void)[] = [];

  request = (async (
    _name: string,
    { signal }: { readonly signal: AbortSignal },
    work: (lock: object) => Promise<void>,
  ) => {
    if (this.#isHeld) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve);
        signal.addEventListener('abort', () => {
          this.#waiting = this.#waiting.filter((each) => each !== resolve);
          reject(signal.reason as Error);
        });
      });
    }
    this.#isHeld = true;
    await work({});
    this.#isHeld = false;
    this.#waiting.shift()?.();
  }) as unknown as LockManager['request'];
}

/** All tabs of a browser: what one says the others hear. */
class Tabs {
  readonly #open = new Map<TabChannel, (event: { readonly data: unknown }) => void>();

  openChannel = (): TabChannel => {
    const channel: TabChannel = {
      addEventListener: (_type, listen) => void this.#open.set(channel, listen),
      postMessage: (data) => {
        for (const [other, listen] of this.#open) if (other !== channel) listen({ data });
      },
      close: () => this.#open.delete(channel),
    };
    return channel;
  };
}

async function settled<T>(promise: Promise<T>): Promise<T> {
  await vi.runAllTimersAsync();
  return promise;
}

describe.each(['locks', 'questions'] as const)('with %s', (how) => {
  let platform: TabPlatform;

  beforeEach(() => {
    const locks = how === 'locks' ? new Locks() : undefined;
    const openChannel = new Tabs().openChannel;
    let number = 0;
    platform = { locks, openChannel, random: () => (number += 0.1) };
  });

  test('the first tab helps, the second does not until the first has let go', async () => {
    const [first, second] = [new OneTab(platform), new OneTab(platform)];
    expect(await settled(first.take())).toBe(true);
    expect(await settled(second.isElsewhere())).toBe(true);
    expect(await settled(second.take())).toBe(false);
    first.letGo();
    expect(await settled(second.isElsewhere())).toBe(false);
    expect(await settled(second.take())).toBe(true);
    expect(await settled(first.take())).toBe(false);
  });

  test('one of two that begin at the same time helps', async () => {
    const tabs = [new OneTab(platform), new OneTab(platform)];
    const both = Promise.all(tabs.map((tab) => tab.take()));
    expect(await settled(both)).toEqual([true, false]);
  });

  test('to ask is not to take', async () => {
    const [first, second] = [new OneTab(platform), new OneTab(platform)];
    expect(await settled(first.isElsewhere())).toBe(false);
    expect(await settled(second.take())).toBe(true);
  });
});

test('a page that is loaded anew waits for the one before to go', async () => {
  const platform = { locks: new Locks(), openChannel: null, random: () => 0 };
  const [before, after] = [new OneTab(platform), new OneTab(platform)];
  await settled(before.take());
  const taking = after.take();
  await vi.advanceTimersByTimeAsync(500);
  before.letGo();
  expect(await settled(taking)).toBe(true);
});

test('where locks are withheld the other tabs are asked', async () => {
  const request = (() =>
    Promise.reject(new DOMException('no', 'SecurityError'))) as LockManager['request'];
  const { openChannel } = new Tabs();
  const platform = { locks: { request }, openChannel, random: () => 0 };
  const [first, second] = [new OneTab(platform), new OneTab(platform)];
  expect(await settled(first.take())).toBe(true);
  expect(await settled(second.take())).toBe(false);
});

test('a tab that can ask nobody believes that it is alone', async () => {
  const alone = { locks: undefined, openChannel: null, random: () => 0 };
  expect(await new OneTab(alone).take()).toBe(true);
});
