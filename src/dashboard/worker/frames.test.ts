import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ToAgent } from '../../worker/browser/page-messages.ts';
import { Frames } from './frames.ts';

let windowOfPage: EventTarget;
let made: FakeFrame[];
let told: ToAgent[];
let frames: Frames;

class FakeFrame extends EventTarget {
  readonly contentWindow = { postMessage: (): void => {} };
  isThere = true;
  setAttribute(): void {}
  remove(): void {
    this.isThere = false;
  }
}

beforeEach(async () => {
  windowOfPage = new EventTarget();
  [made, told] = [[], []];
  vi.stubGlobal('addEventListener', windowOfPage.addEventListener.bind(windowOfPage));
  vi.stubGlobal('document', {
    createElement: () => {
      const frame = new FakeFrame();
      made.push(frame);
      return frame;
    },
    body: {
      append: (frame: FakeFrame) => queueMicrotask(() => frame.dispatchEvent(new Event('load'))),
    },
  });
  frames = new Frames({
    address: '/frame',
    code: () => Promise.resolve('code'),
    tellAgent: (message, ports) => {
      told.push(message);
      for (const port of ports) port.close();
    },
  });
  for (const id of [1, 2]) frames.heard({ type: 'open_frame', id });
  await vi.waitUntil(() => told.length === 2);
  told.length = 0;
});
afterEach(() => vi.unstubAllGlobals());

function say(source: unknown, data: unknown): void {
  windowOfPage.dispatchEvent(Object.assign(new Event('message'), { source, data }));
}

test('a frame tells of a fault of its own, and of no other', () => {
  say(made[0]!.contentWindow, { type: 'frame_fault', why: 'x'.repeat(5000), id: 2 });
  expect(told).toEqual([{ type: 'frame_failed', id: 1, why: 'x'.repeat(1000) }]);
  expect(made.map(({ isThere }) => isThere)).toEqual([false, true]);
});

test('what other windows say is nobody’s fault', () => {
  for (const source of [null, {}, windowOfPage]) say(source, { type: 'frame_fault', why: 'no' });
  expect(told).toEqual([]);
});

test('a frame that floods the page is removed, and one that has an extension in it is not', () => {
  for (let sent = 0; sent < 1000; sent++) say(made[0]!.contentWindow, { type: 'hello' });
  expect(told).toEqual([]);
  for (let sent = 0; sent < 5000; sent++) say(made[0]!.contentWindow, null);
  expect(told).toEqual([{ type: 'frame_failed', id: 1, why: 'Its frame is too loud.' }]);
  expect(made.map(({ isThere }) => isThere)).toEqual([false, true]);
});
