// Bodies that are staged, between a client, a database and leaders that come and go.

import { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { StagedBody } from './staged-body.ts';

/** A leader that is asked, and takes the body when it says so. */
class Leader extends EventEmitter {
  readonly said: string[] = [];
  destroyed = false;
  writableEnded = false;

  flushHeaders(): void {}

  write(text: string): void {
    this.said.push(text);
  }

  end(text?: string): void {
    if (text !== undefined) this.said.push(text);
    this.writableEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
  }

  takes(): void {
    this.emit('information', { statusCode: 100 });
  }
}

/** A body of one piece, of which the database has not said yet whether it is written. */
async function halfWritten() {
  const message = Object.assign(new Readable({ read() {} }), { headers: {}, complete: false });
  const written = Promise.withResolvers<void>();
  const draft = {
    append: () => written.promise,
    stage: () => Promise.reject(new Error('not asked')),
    abandon: () => undefined,
  };
  const body = new StagedBody(message as unknown as IncomingMessage, { beginBlob: () => draft });
  const ask = (): Leader => {
    const leader = new Leader();
    body.sendTo(leader as unknown as ClientRequest);
    return leader;
  };
  const leader = ask();
  leader.takes();
  message.push(Buffer.from('piece'));
  await nextTurn();
  const fail = async () => {
    written.reject(new Error('the database is gone'));
    await nextTurn();
  };
  return { body, leader, ask, fail };
}

test('what cannot be written ends the request of whoever takes it', async () => {
  const { body, leader, fail } = await halfWritten();
  await fail();
  expect(body.failure?.message).toBe('the database is gone');
  expect(leader.destroyed).toBe(true);
});

test('what could not be written is not taken by the next leader, which was asked before', async () => {
  const { body, ask, fail } = await halfWritten();
  body.stop();
  const next = ask();
  await fail();
  next.takes();
  expect([next.destroyed, next.said]).toEqual([true, []]);
});

test('nor is an answer cut off that is on its way already', async () => {
  const { body, leader, fail } = await halfWritten();
  body.forget();
  await fail();
  expect(leader.destroyed).toBe(false);
});
