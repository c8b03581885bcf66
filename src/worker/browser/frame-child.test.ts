import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { doneResult, type FromChild } from '../sandbox/messages.ts';
import { FrameChild } from './frame-child.ts';
import { type FakeFrame, FakePage } from './testing/fake-page.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const limits = {
  resultLimitBytes: 1000,
  outputLimitBytes: 1000,
  stateLimitBytes: 1000,
  outputMessagesPerSecond: 100,
};

class Stage {
  readonly page = new FakePage();
  readonly heard: string[] = [];
  company = false;
  readonly child = new FrameChild({
    frames: this.page.frames,
    memoryLimitMb: 100,
    limits,
    serves: 'javascript',
    hasCompany: () => this.company,
    onReady: () => this.heard.push('is ready'),
    onEnded: () => this.heard.push('has ended'),
  });

  constructor() {
    this.child.listener = {
      childReady: () => this.heard.push('ready'),
      childSaid: (_child, message: FromChild) => this.heard.push(message[0]),
      childEnded: ({ endedBy }) => this.heard.push(`ended: ${endedBy}`),
    };
  }

  /** A child that is ready and was given so many attempts. */
  serving(attempts: number): FakeFrame {
    const frame = this.page.open(1);
    this.child.lastNumber = attempts;
    this.heard.length = 0;
    return frame;
  }

  async settle(): Promise<void> {
    await Promise.resolve();
  }
}

test('orders a frame, tells its thread the limits, and is ready when the thread says so', () => {
  const { page, child, heard } = new Stage();
  expect(page.orders).toEqual([{ type: 'open_frame', id: 1 }]);
  const frame = page.load(1);
  expect(frame.told).toEqual([['begin', limits, 'javascript']]);
  expect([child.isReady, heard]).toEqual([false, []]);
  frame.say(['ready']);
  expect([child.isReady, heard]).toEqual([true, ['is ready', 'ready']]);
  child.send(['ping']);
  expect(frame.told.at(-1)).toEqual(['tell', [['ping']]]);
});

test('is ended by the removal of its frame, and hears nothing of it any more', async () => {
  const stage = new Stage();
  const frame = stage.serving(1);
  stage.child.terminate('stopped');
  frame.say(['pong']);
  expect(stage.page.orders.at(-1)).toEqual({ type: 'close_frame', id: 1 });
  expect(frame.isClosed).toBe(true);
  // Whoever has ended it is still at work.
  expect(stage.heard).toEqual([]);
  await stage.settle();
  expect(stage.heard).toEqual(['has ended', 'ended: it was ended']);
  expect(stage.child.endCause).toBe('stopped');
});

test('a frame that does not come in time is given up, and one that comes too late is removed', async () => {
  const stage = new Stage();
  await vi.advanceTimersByTimeAsync(29_000);
  expect(stage.child.hasEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stage.child).toMatchObject({ hasEnded: true, isReady: false, endCause: 'unresponsive' });
  expect(stage.page.orders.at(-1)).toEqual({ type: 'close_frame', id: 1 });
  const { port1, port2 } = new MessageChannel();
  const closed = vi.spyOn(port1, 'close');
  stage.page.frames.heard({ type: 'frame_opened', id: 1, port: port1 });
  expect(closed).toHaveBeenCalledOnce();
  port2.close();
});

test('tells why a frame could not be made, or its thread gave up', async () => {
  const [unmade, refusing] = [new Stage(), new Stage()];
  unmade.page.frames.heard({ type: 'frame_failed', id: 1, why: 'the page said why' });
  refusing.page.load(1).say(['fault', 'this browser does not keep jobs apart']);
  await unmade.settle();
  expect(unmade.heard.at(-1)).toBe('ended: its frame did not open');
  expect(unmade.child.output).toBe('the page said why');
  expect(refusing.child.output).toBe('this browser does not keep jobs apart');
  expect(refusing.child).toMatchObject({ isReady: false, hasEnded: true, endCause: null });
});

test('a frame whose process is gone has ended by itself; with others there, any may be the cause', async () => {
  const [alone, among] = [new Stage(), new Stage()];
  alone.serving(1).disappear();
  among.company = true;
  among.serving(1).disappear();
  await alone.settle();
  expect(alone.heard.at(-1)).toContain('the browser ended its frame');
  expect([alone.child.hadCompany, among.child.hadCompany]).toEqual([false, true]);
});

test('knows which attempt runs from what the thread said before it began', () => {
  const stage = new Stage();
  const frame = stage.serving(3);
  expect(stage.child.position()).toBe(0);
  frame.say(1);
  frame.say(2);
  expect(stage.child.position()).toBe(2);
  expect(stage.child.isBusy).toBe(true);
  frame.say(['done', [1, doneResult, '1', 1, 0, 2, doneResult, '1', 1, 0]]);
  frame.say(3);
  frame.say(['done', [3, doneResult, '1', 1, 0]]);
  expect(stage.child.isBusy).toBe(false);
  expect(stage.heard).toEqual(['done', 'done']);
});

test.each([
  ['an attempt that it was not given', [4]],
  ['an attempt that is over', [2, 1]],
  ['the same attempt again', [1, 1]],
  ['half an attempt', [0.5]],
  ['no number at all', [Number.NaN]],
])('a child that tells of %s is ended', (_what, positions) => {
  const stage = new Stage();
  const frame = stage.serving(3);
  for (const each of positions) frame.say(each);
  expect(stage.child).toMatchObject({ hasEnded: true, endCause: null });
  expect(stage.child.endedBy).toBe('it told of a task that it was not given');
});

test.each([
  ['nothing', null],
  ['a text', 'done'],
  ['an object', { 0: 'pong' }],
  ['a word of its own', ['please']],
  ['a name that every object has', ['__proto__', 1]],
  ['the name of a function that every object has', ['hasOwnProperty', 1]],
  ['a list for a name', [['pong']]],
  ['a progress that is none', ['progress', 1, 7, null]],
])('a child that sends %s is ended, and the agent goes on', (_what, message) => {
  const stage = new Stage();
  stage.serving(1).say(message as object | null);
  expect(stage.child.endedBy).toBe('it sent what no sandbox sends');
  expect(stage.heard).toEqual([]);
});

test('a child that floods the agent with messages is ended', () => {
  const stage = new Stage();
  const frame = stage.serving(1);
  let sent = 0;
  while (!stage.child.hasEnded && ++sent < 1_000_000) frame.say(['pong']);
  expect(stage.child.endedBy).toBe('it sent more messages than any task needs');
  expect(sent).toBeLessThan(30_000);
});

test('a child that sends a message larger than any result is ended', () => {
  const stage = new Stage();
  stage.serving(1).say(['output', 1, 'x'.repeat(2 * 1024 * 1024)]);
  expect(stage.child.endedBy).toMatch(/^it sent a message of \d+ characters$/);
  expect(stage.heard).toEqual([]);
});

test('a child that sends large messages without end is ended', () => {
  const stage = new Stage();
  const frame = stage.serving(1);
  const text = 'x'.repeat(1024 * 1024);
  for (let sent = 0; sent < 100; sent++) frame.say(['output', 1, text]);
  expect(stage.child.endedBy).toBe('it sent more text than any task needs');
});

test('a thousand honest messages a second for an hour are no flood', () => {
  const stage = new Stage();
  const frame = stage.serving(1);
  for (let second = 0; second < 3600; second++) {
    for (let i = 0; i < 1000; i++) frame.say(['progress', 1, 0.5, 'a line of progress']);
    vi.advanceTimersByTime(1000);
  }
  expect(stage.child.hasEnded).toBe(false);
});
