import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lineOver } from './thread-line.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** One end of a port: the test is the other. */
class FakePort extends EventTarget {
  readonly sent: unknown[] = [];
  isStarted = false;
  isClosed = false;
  /** What the other end does with a message. */
  answer: () => void = () => {};

  postMessage(message: unknown): void {
    this.sent.push(message);
    this.answer();
  }

  start(): void {
    this.isStarted = true;
  }

  close(): void {
    this.isClosed = true;
  }

  say(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

class Stage {
  readonly port = new FakePort();
  readonly pulse = new FakePort();
  readonly heard: unknown[] = [];
  readonly line = lineOver(
    this.port as unknown as MessagePort,
    this.pulse as unknown as MessagePort,
  );

  constructor() {
    this.line.listen(
      (message) => this.heard.push(message),
      () => this.heard.push('gone'),
    );
  }
}

test('carries messages both ways, and takes one that cannot be read for nothing', () => {
  const { port, line, heard } = new Stage();
  line.send(['tell', [['ping']]]);
  port.say(['pong']);
  port.dispatchEvent(new Event('messageerror'));
  expect([port.isStarted, port.sent, heard]).toEqual([
    true,
    [['tell', [['ping']]]],
    [['pong'], null],
  ]);
});

test('a document that answers is there, however long its thread says nothing', () => {
  const { pulse, heard } = new Stage();
  pulse.answer = () => pulse.say(null);
  vi.advanceTimersByTime(3_600_000);
  expect(heard).toEqual([]);
});

test('a document that answers no more is gone after five beats', () => {
  const { heard } = new Stage();
  vi.advanceTimersByTime(4_000);
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(heard).toEqual(['gone']);
});

test('a thread that speaks is there, whatever its document does', () => {
  const { port, heard } = new Stage();
  for (let second = 0; second < 60; second++) {
    port.say(second);
    vi.advanceTimersByTime(1_000);
  }
  expect(heard).toHaveLength(60);
});

test('is silent once it is closed', () => {
  const { port, pulse, line, heard } = new Stage();
  line.close();
  vi.advanceTimersByTime(60_000);
  expect([port.isClosed, pulse.isClosed, heard]).toEqual([true, true, []]);
});
