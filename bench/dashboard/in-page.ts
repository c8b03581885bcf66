// What runs in the measured page: it is sent there as text, so nothing here may use anything else of this file.

interface Entry {
  readonly name: string;
  readonly startTime: number;
  readonly duration: number;
}

declare const requestAnimationFrame: (act: (at: number) => void) => number;
declare const PerformanceObserver: new (
  hear: (list: { getEntries(): Entry[] }) => void,
) => { observe(options: object): void };
declare const document: { querySelector(selector: string): object | null };
declare const performance: { now(): number; getEntriesByName(name: string): Entry[] };

export interface Recorded {
  /** Between two frames, in ms. */
  readonly frames: number[];
  /** Tasks of the main thread that took more than 50 ms. */
  readonly long: { readonly at: number; readonly ms: number }[];
  readonly now: number;
  readonly firstPaint: number | null;
  /** The first moment at which what was waited for was there. */
  readonly shownAt: number | null;
}

interface Recorder {
  begin(): void;
  take(): Recorded;
}

declare const musterRecorder: Recorder;

/** Set up before anything else of the page runs. Notes when all of `awaited` are there. */
export function record(awaited: readonly string[]): void {
  const long: { at: number; ms: number }[] = [];
  let frames: number[] = [];
  let shownAt: number | null = null;
  let last: number | null = null;
  const noteLong = (entries: Entry[]) => {
    for (const { startTime: at, duration: ms } of entries) long.push({ at, ms });
  };
  new PerformanceObserver((list) => noteLong(list.getEntries())).observe({
    type: 'longtask',
    buffered: true,
  });
  const look = () => {
    if (awaited.every((selector) => document.querySelector(selector) !== null))
      shownAt = performance.now();
    else requestAnimationFrame(look);
  };
  if (awaited.length > 0) requestAnimationFrame(look);
  const tick = (at: number) => {
    if (last !== null) frames.push(at - last);
    last = at;
    requestAnimationFrame(tick);
  };
  const recorder: Recorder = {
    begin: () => {
      if (last === null) requestAnimationFrame(tick);
      frames = [];
      long.length = 0;
    },
    take: () => {
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      return {
        frames,
        long,
        now: performance.now(),
        firstPaint: paint?.startTime ?? null,
        shownAt,
      };
    },
  };
  Object.assign(globalThis, { musterRecorder: recorder });
}

export function beginRecording(): void {
  musterRecorder.begin();
}

export function recorded(): Recorded {
  return musterRecorder.take();
}
