import { describe, expect, test } from 'vitest';
import type { PageSigns } from '../../worker/browser/page-messages.ts';
import { SignsWatch, type SignsWindow } from './page-signs.ts';

class FakeLock extends EventTarget {
  isReleased = false;
  release(): Promise<void> {
    this.isReleased = true;
    this.dispatchEvent(new Event('release'));
    return Promise.resolve();
  }
}

/** A window of a browser that tells everything, and whose parts a test may change or take away. */
class FakeWindow extends EventTarget {
  isSecureContext = true;
  readonly document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  readonly battery = Object.assign(new EventTarget(), { level: 0.914, charging: true });
  readonly connection = Object.assign(new EventTarget(), { type: 'wifi', saveData: false });
  readonly locks: FakeLock[] = [];
  wakesRefused = 0;
  press: (state: string) => void = () => undefined;
  readonly navigator = {
    onLine: true,
    getBattery: () => Promise.resolve(this.battery),
    connection: this.connection,
    wakeLock: {
      request: () => {
        if (this.wakesRefused-- > 0) return Promise.reject(new Error('NotAllowedError'));
        const lock = new FakeLock();
        this.locks.push(lock);
        return Promise.resolve(lock);
      },
    },
    serviceWorker: {},
  };
  readonly PressureObserver = observerFor(this);

  show(visibilityState: 'visible' | 'hidden'): void {
    this.document.visibilityState = visibilityState;
    this.document.dispatchEvent(new Event('visibilitychange'));
  }
}

function observerFor(window: FakeWindow) {
  return class {
    constructor(told: (records: readonly { readonly state: string }[]) => void) {
      window.press = (state) => told([{ state }]);
    }
    observe(): Promise<void> {
      return Promise.resolve();
    }
  };
}

const bare: SignsWindow = {
  isSecureContext: false,
  navigator: { onLine: true },
  document: Object.assign(new EventTarget(), { visibilityState: 'visible' }),
  addEventListener: () => undefined,
};

async function watched(window = new FakeWindow()) {
  const told: PageSigns[] = [];
  const watch = new SignsWatch(window, (signs) => told.push(signs));
  await watch.start();
  return { window, watch, told };
}

/** What was asked for has been answered. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('signs', () => {
  test('are what the browser tells', async () => {
    const { watch, window } = await watched();
    window.press('serious');
    expect(watch.signs).toEqual({
      isVisible: true,
      isOnline: true,
      batteryPercent: 91,
      isCharging: true,
      isMetered: false,
      networkType: 'wifi',
      pressure: 'serious',
      isKeptAwake: false,
    });
    expect(watch.withheld).toEqual([]);
  });

  test('of a browser that tells nothing are null, and named', async () => {
    const told: PageSigns[] = [];
    const watch = new SignsWatch(bare, (signs) => told.push(signs));
    await watch.start();
    expect(told).toEqual([
      {
        isVisible: true,
        isOnline: true,
        batteryPercent: null,
        isCharging: null,
        isMetered: null,
        networkType: null,
        pressure: null,
        isKeptAwake: false,
      },
    ]);
    expect(watch.withheld).toEqual([
      'battery',
      'pressure',
      'wake_lock',
      'metered',
      'offline_page',
      'secure_context',
    ]);
  });

  test('are told when they change, and only then', async () => {
    const { window, told } = await watched();
    const before = told.length;
    window.battery.charging = false;
    window.battery.dispatchEvent(new Event('chargingchange'));
    window.battery.dispatchEvent(new Event('levelchange'));
    window.connection.type = 'cellular';
    window.connection.dispatchEvent(new Event('change'));
    window.navigator.onLine = false;
    window.dispatchEvent(new Event('offline'));
    expect(told.slice(before)).toMatchObject([
      { isCharging: false, isMetered: false },
      { isMetered: true, isOnline: true },
      { isOnline: false },
    ]);
  });

  test('say that data costs where somebody asks to save it, and nothing where it is not known', async () => {
    const { window, watch } = await watched();
    window.connection.saveData = true;
    expect(watch.signs.isMetered).toBe(true);
    window.connection.saveData = false;
    window.connection.type = 'other';
    expect(watch.signs.isMetered).toBeNull();
    expect(watch.withheld).toEqual(['metered']);
  });

  test('of a battery that is refused are withheld', async () => {
    const window = new FakeWindow();
    window.navigator.getBattery = () => Promise.reject(new Error('NotAllowedError'));
    const { watch } = await watched(window);
    expect(watch.withheld).toEqual(['battery']);
  });
});

describe('the screen', () => {
  test('is kept on while it helps, and let go when it does not', async () => {
    const { window, watch } = await watched();
    watch.keepAwake(true);
    await settled();
    expect(watch.signs.isKeptAwake).toBe(true);
    watch.keepAwake(false);
    await settled();
    expect(window.locks.map(({ isReleased }) => isReleased)).toEqual([true]);
    expect(watch.signs.isKeptAwake).toBe(false);
  });

  test('is kept on anew when the page comes back into sight', async () => {
    const { window, watch } = await watched();
    watch.keepAwake(true);
    await settled();
    window.show('hidden');
    await window.locks[0]?.release();
    await settled();
    expect([watch.signs.isKeptAwake, window.locks.length]).toEqual([false, 1]);
    window.show('visible');
    await settled();
    expect([watch.signs.isKeptAwake, window.locks.length]).toEqual([true, 2]);
  });

  test('may be refused, and is asked for again when the page comes back', async () => {
    const window = new FakeWindow();
    window.wakesRefused = 1;
    const { watch } = await watched(window);
    watch.keepAwake(true);
    await settled();
    expect(watch.signs.isKeptAwake).toBe(false);
    window.show('visible');
    await settled();
    expect(watch.signs.isKeptAwake).toBe(true);
  });

  test('is not held by a request that is answered when nobody wants it any more', async () => {
    const { window, watch } = await watched();
    watch.keepAwake(true);
    watch.keepAwake(false);
    await settled();
    expect(window.locks.map(({ isReleased }) => isReleased)).toEqual([true]);
    expect(watch.signs.isKeptAwake).toBe(false);
  });
});
