// What goes wrong on the line, and nothing else: a server that answers every message with itself, and a client.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { FaultyLine } from './faulty-line.ts';

/** Keeps what has come, in order. */
class Talk {
  heard = '';
  isOver = false;
  readonly #socket: Socket;
  readonly #waiting = new Set<() => void>();

  constructor(line: FaultyLine) {
    this.#socket = connect(Number(new URL(line.url).port), '127.0.0.1');
    const wake = () => {
      for (const each of this.#waiting) each();
    };
    this.#socket
      .on('data', (bytes) => {
        this.heard += bytes.toString();
        wake();
      })
      .on('error', () => {})
      .on('close', () => {
        this.isOver = true;
        wake();
      });
    onTestFinished(() => void this.#socket.destroy());
  }

  say(text: string): void {
    this.#socket.write(text);
  }

  end(): void {
    this.#socket.end();
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }
}

async function echo(): Promise<{ line: FaultyLine; got: () => string; gotSo: Promise<unknown> }> {
  let got = '';
  let told = () => {};
  const gotSo = new Promise<void>((resolve) => (told = resolve));
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        got += bytes.toString();
        socket.write(bytes);
        told();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line = await FaultyLine.to(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    line.close();
    server.close();
  });
  return { line, got: () => got, gotSo };
}

test('carries everything both ways, and the end of a side after all that it has said', async () => {
  const { line } = await echo();
  const talk = new Talk(line);
  const long = 'abcdefghij'.repeat(300_000);
  talk.say(long);
  talk.end();
  await talk.until(() => talk.isOver);
  expect(talk.heard.length).toBe(long.length);
  expect(talk.heard === long).toBe(true);
});

test('loses the answer that it is told to lose, with its connection, and what was asked has arrived', async () => {
  const { line, got } = await echo();
  line.answersToLose = 1;
  const talk = new Talk(line);
  talk.say('first');
  await talk.until(() => talk.isOver);
  expect([talk.heard, got()]).toEqual(['', 'first']);
  const next = new Talk(line);
  next.say('second');
  await next.until(() => next.heard === 'second');
});

test('holds back answers alone, also of connections to come, until they are released', async () => {
  const { line, gotSo } = await echo();
  line.hold('back');
  const talk = new Talk(line);
  talk.say('one');
  await gotSo;
  expect(talk.heard).toBe('');
  line.release();
  await talk.until(() => talk.heard === 'one');
});

test('holds back what is asked alone', async () => {
  const { line, got } = await echo();
  const talk = new Talk(line);
  talk.say('one');
  await talk.until(() => talk.heard === 'one');
  line.hold('there');
  talk.say('two');
  // A connection of the other direction goes on meanwhile, and everything of this one stands still.
  const other = new Talk(line);
  other.say('three');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(got()).toBe('one');
  line.release();
  await talk.until(() => talk.heard === 'onetwo');
  await other.until(() => other.heard === 'three');
});

test('delays without changing the order, also when the delay shrinks', async () => {
  const { line } = await echo();
  const talk = new Talk(line);
  line.delay(40, 'there', 'back');
  const begin = performance.now();
  talk.say('slow ');
  await talk.until(() => talk.heard === 'slow ');
  expect(performance.now() - begin).toBeGreaterThan(75);
  line.delay(300, 'there');
  talk.say('slower ');
  await new Promise((resolve) => setTimeout(resolve, 20));
  line.delay(0, 'there', 'back');
  talk.say('quick');
  await talk.until(() => talk.heard.endsWith('quick'));
  expect(talk.heard).toBe('slow slower quick');
});

test('cuts what is open, and lets nobody through while it is shut', async () => {
  const { line } = await echo();
  const talk = new Talk(line);
  talk.say('one');
  await talk.until(() => talk.heard === 'one');
  line.shut();
  await talk.until(() => talk.isOver);
  expect(line.cuts).toBe(1);
  const refused = new Talk(line);
  await refused.until(() => refused.isOver);
  line.open();
  const next = new Talk(line);
  next.say('two');
  await next.until(() => next.heard === 'two');
});

test('names the address of a database as it is reached over the line', async () => {
  const { line } = await echo();
  const port = new URL(line.url).port;
  expect(line.through('postgres://muster@127.0.0.1:5432/postgres?schema=a')).toBe(
    `postgres://muster@127.0.0.1:${port}/postgres?schema=a`,
  );
});
