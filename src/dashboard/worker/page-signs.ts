// What only a window knows of its device. Each part is there in some browsers only; what a browser does not
// tell is null, and named among what it withholds.

import type { PageSigns, Withheld } from '../../worker/browser/page-messages.ts';

/** The parts of a window that are asked; browsers lack some, and so do the compiler's own descriptions. */
export interface SignsWindow {
  readonly isSecureContext: boolean;
  readonly navigator: {
    readonly onLine: boolean;
    readonly getBattery?: () => Promise<Battery>;
    readonly connection?: Connection;
    readonly wakeLock?: { request(type: 'screen'): Promise<WakeLock> };
    readonly serviceWorker?: unknown;
  };
  readonly document: Target & { readonly visibilityState: string };
  readonly PressureObserver?: new (
    told: (records: readonly PressureRecord[]) => void,
  ) => {
    observe(source: 'cpu', options: { sampleInterval: number }): Promise<void>;
  };
  addEventListener(type: 'online' | 'offline', heard: () => void): void;
}

interface Target {
  addEventListener(type: string, heard: () => void): void;
}

export interface Battery extends Target {
  readonly charging: boolean;
  /** From 0 to 1. */
  readonly level: number;
}

export interface Connection extends Target {
  readonly type?: string;
  readonly saveData?: boolean;
}

export interface WakeLock extends Target {
  release(): Promise<void>;
}

interface PressureRecord {
  readonly state: string;
}

const pressureEveryMs = 5_000;
/** Nothing that is read from a browser may hold up the beginning. */
const batteryWaitMs = 1_000;

export class SignsWatch {
  readonly #window: SignsWindow;
  readonly #tell: (signs: PageSigns) => void;
  #battery: Battery | null = null;
  #pressure: string | null = null;
  #lock: WakeLock | null = null;
  #wantsLock = false;
  #isAsking = false;
  #told = '';
  /** True once the browser has said no although it knows how. */
  #isBatteryRefused = false;
  #isPressureRefused = false;

  constructor(window: SignsWindow, tell: (signs: PageSigns) => void) {
    this.#window = window;
    this.#tell = tell;
  }

  /** Done when it is known what this browser tells. */
  async start(): Promise<void> {
    const { navigator, document } = this.#window;
    const changed = () => this.#changed();
    this.#window.addEventListener('online', changed);
    this.#window.addEventListener('offline', changed);
    navigator.connection?.addEventListener('change', changed);
    document.addEventListener('visibilitychange', () => {
      // A page out of sight has lost its hold on the screen.
      void this.#holdScreen();
      changed();
    });
    await Promise.all([this.#readBattery(), this.#readPressure()]);
    changed();
  }

  get signs(): PageSigns {
    const { navigator, document } = this.#window;
    return {
      isVisible: document.visibilityState === 'visible',
      isOnline: navigator.onLine,
      batteryPercent: this.#battery === null ? null : Math.round(this.#battery.level * 100),
      isCharging: this.#battery?.charging ?? null,
      isMetered: isMetered(navigator.connection),
      networkType: navigator.connection?.type ?? null,
      pressure: this.#pressure,
      isKeptAwake: this.#lock !== null,
    };
  }

  get withheld(): readonly Withheld[] {
    const { navigator, isSecureContext, PressureObserver } = this.#window;
    const is: Readonly<Record<Exclude<Withheld, 'storage'>, boolean>> = {
      battery: navigator.getBattery === undefined || this.#isBatteryRefused,
      pressure: PressureObserver === undefined || this.#isPressureRefused,
      wake_lock: navigator.wakeLock === undefined,
      metered: isMetered(navigator.connection) === null,
      offline_page: navigator.serviceWorker === undefined,
      secure_context: !isSecureContext,
    };
    return (Object.keys(is) as (keyof typeof is)[]).filter((name) => is[name]);
  }

  /** Whether the screen should stay on; it is asked for anew whenever the page comes back into sight. */
  keepAwake(wants: boolean): void {
    if (wants === this.#wantsLock) return;
    this.#wantsLock = wants;
    void this.#holdScreen();
  }

  async #holdScreen(): Promise<void> {
    const { navigator, document } = this.#window;
    if (!this.#wantsLock) {
      const lock = this.#lock;
      this.#lock = null;
      await lock?.release().catch(() => undefined);
      return this.#changed();
    }
    if (this.#lock !== null || this.#isAsking) return;
    if (navigator.wakeLock === undefined || document.visibilityState !== 'visible') return;
    this.#isAsking = true;
    try {
      const lock = await navigator.wakeLock.request('screen');
      this.#lock = lock;
      lock.addEventListener('release', () => {
        if (this.#lock === lock) this.#lock = null;
        this.#changed();
      });
    } catch {
      // Refused for now, as by a saver of power; it is asked for again when the page comes back into sight.
    } finally {
      this.#isAsking = false;
    }
    // It may be wanted no more by now.
    if (!this.#wantsLock) return this.#holdScreen();
    this.#changed();
  }

  async #readBattery(): Promise<void> {
    const { navigator } = this.#window;
    if (navigator.getBattery === undefined) return;
    const found = navigator.getBattery().then(
      (battery) => {
        this.#battery = battery;
        for (const type of ['chargingchange', 'levelchange']) {
          battery.addEventListener(type, () => this.#changed());
        }
        this.#changed();
      },
      () => {
        this.#isBatteryRefused = true;
      },
    );
    await Promise.race([found, new Promise((resolve) => setTimeout(resolve, batteryWaitMs))]);
  }

  async #readPressure(): Promise<void> {
    const { PressureObserver } = this.#window;
    if (PressureObserver === undefined) return;
    try {
      const observer = new PressureObserver((records) => {
        this.#pressure = records.at(-1)?.state ?? null;
        this.#changed();
      });
      await observer.observe('cpu', { sampleInterval: pressureEveryMs });
    } catch {
      this.#isPressureRefused = true;
    }
  }

  #changed(): void {
    const { signs } = this;
    const text = JSON.stringify(signs);
    if (text === this.#told) return;
    this.#told = text;
    this.#tell(signs);
  }
}

/** Data costs where it comes through the air of a provider, or where somebody has asked to save it. */
function isMetered(connection: Connection | undefined): boolean | null {
  if (connection === undefined) return null;
  if (connection.saveData === true || connection.type === 'cellular') return true;
  return connection.type === 'wifi' || connection.type === 'ethernet' ? false : null;
}
