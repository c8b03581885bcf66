// One tab of a browser helps at a time: two would be one worker with two connections. A lock of the browser, or,
// where there are none (plain HTTP), a question to the other tabs.

export interface TabPlatform {
  /** `navigator.locks`; undefined: not here. */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  /** Null: tabs cannot ask each other either, and each believes that it is alone. */
  readonly openChannel: (() => TabChannel) | null;
  readonly random: () => number;
}

export interface TabChannel {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listen: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

const name = 'muster-worker';
/**
 * The tab before may be on its way out: a page that is loaded anew is there before it has gone, and a thread that is
 * busy is ended two seconds after its page.
 */
const patienceMs = 3_000;
const answerMs = 300;

export class OneTab {
  readonly #platform: TabPlatform;
  #letGo: (() => void) | null = null;

  constructor(platform: TabPlatform) {
    this.#platform = platform;
  }

  /** True: this tab is the one, until it lets go. */
  async take(): Promise<boolean> {
    if (this.#letGo !== null) return true;
    const { locks, openChannel } = this.#platform;
    const locked = locks === undefined ? null : await takeLock(locks);
    if (locked === 'elsewhere') return false;
    if (locked !== null) {
      this.#letGo = locked;
      return true;
    }
    if (openChannel === null) return true;
    this.#letGo = await takeByAsking(openChannel(), this.#platform.random());
    return this.#letGo !== null;
  }

  letGo(): void {
    this.#letGo?.();
    this.#letGo = null;
  }

  async isElsewhere(): Promise<boolean> {
    if (this.#letGo !== null) return false;
    const isFree = await this.take();
    this.letGo();
    return !isFree;
  }
}

/** Null: locks are withheld here. */
async function takeLock(
  locks: NonNullable<TabPlatform['locks']>,
): Promise<(() => void) | 'elsewhere' | null> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), patienceMs);
  try {
    return await new Promise((resolve, reject) => {
      locks
        .request(name, { signal: patience.signal }, (lock) => {
          if (lock === null) return undefined;
          return new Promise<void>((letGo) => resolve(letGo));
        })
        .catch(reject);
    });
  } catch (error) {
    return (error as Error).name === 'AbortError' ? 'elsewhere' : null;
  } finally {
    clearTimeout(timer);
  }
}

/** Whoever has it answers; of two that ask at the same time the one with the smaller number gets it. */
async function takeByAsking(channel: TabChannel, number: number): Promise<(() => void) | null> {
  let isOurs = false;
  let isElsewhere = false;
  channel.addEventListener('message', ({ data }) => {
    const [what, theirs] = Array.isArray(data) ? (data as unknown[]) : [];
    if (what === 'here' && !isOurs) isElsewhere = true;
    const isFirst = isOurs || (typeof theirs === 'number' && number < theirs);
    if (what === 'anybody' && isFirst && !isElsewhere) channel.postMessage(['here']);
  });
  channel.postMessage(['anybody', number]);
  await new Promise((resolve) => setTimeout(resolve, answerMs));
  if (isElsewhere) {
    channel.close();
    return null;
  }
  isOurs = true;
  return () => channel.close();
}
