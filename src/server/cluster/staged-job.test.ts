// Jobs whose lines are read here, between a client, a database and a leader that says little.

import { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../protocol/limits.ts';
import { InFlight } from '../in-flight.ts';
import { StagedJob } from './staged-job.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const head = '{"program":{}}\n';
const link = '</api/jobs>; rel=self';

/** A leader that is asked, and says what the test lets it say. */
class Leader extends EventEmitter {
  readonly said: unknown[] = [];
  destroyed = false;
  writableEnded = false;
  writableNeedDrain = false;

  flushHeaders(): void {}

  write(text: string): void {
    this.said.push(JSON.parse(text));
  }

  end(text?: string): void {
    if (text !== undefined) this.write(text);
    this.writableEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
  }

  says(statusCode: number, headers: Record<string, string> = {}): void {
    this.emit('information', { statusCode, headers });
  }

  /** Of all that was said but signs of life. */
  get kinds(): readonly unknown[] {
    return this.said.flatMap((receipt) => {
      const [kind, count] = receipt as readonly [string, unknown];
      return kind === 'arrived' && count === 0 ? [] : [kind];
    });
  }
}

function begin() {
  const message = Object.assign(new Readable({ read() {} }), { headers: {}, complete: false });
  const stored: [number, number, number][] = [];
  const dropped: number[] = [];
  const refs: WeakRef<readonly string[]>[] = [];
  const written: PromiseWithResolvers<boolean>[] = [];
  const stage = {
    member: 'two',
    stageInputs: (jobKey: number, from: number, inputs: readonly string[]) => {
      stored.push([jobKey, from, inputs.length]);
      refs.push(new WeakRef(inputs));
      const each = Promise.withResolvers<boolean>();
      written.push(each);
      return each.promise;
    },
    dropStaged: async (jobKey: number) => void dropped.push(jobKey),
  };
  const inFlight = new InFlight(1_000_000);
  const body = new StagedJob(message as unknown as IncomingMessage, {
    stage,
    limits: defaultLimits,
    inFlight,
    key: null,
  });
  const leader = new Leader();
  body.sendTo(leader as unknown as ClientRequest);
  const turns = async () => {
    for (let i = 0; i < 20; i++) await nextTurn();
  };
  return { message, stored, refs, dropped, written, body, leader, turns };
}

const numbers = (count: number) => '1\n'.repeat(count);

test('nothing is read before the leader takes it, nor stored before it has said a key', async () => {
  const { message, stored, written, body, leader, turns } = begin();
  message.push(head + numbers(1_500));
  await turns();
  expect([leader.said, body.isUntouched]).toEqual([[], true]);
  leader.says(100);
  await turns();
  expect([leader.kinds, body.isUntouched, body.isKept]).toEqual([['job', 'arrived'], false, false]);
  expect(stored).toEqual([]);
  leader.says(103, { link, 'x-muster-job-key': '7' });
  await turns();
  expect(stored).toEqual([[7, 0, 1_000]]);
  written[0]!.resolve(true);
  message.push(null);
  await turns();
  written[1]!.resolve(true);
  await turns();
  expect(stored).toEqual([
    [7, 0, 1_000],
    [7, 1_000, 500],
  ]);
  expect(leader.said.at(-1)).toEqual(['whole', null, 1_500, 1_500]);
  expect([leader.writableEnded, body.isUnfinished]).toEqual([true, false]);
});

test('what is being stored when the leader is gone is dropped when it is there, and no more follows', async () => {
  const { message, stored, dropped, written, body, leader, turns } = begin();
  message.push(head + numbers(2_500));
  leader.says(100);
  leader.says(103, { link, 'x-muster-job-key': '7' });
  await turns();
  body.stop();
  body.end();
  await turns();
  expect(dropped).toEqual([]);
  written[0]!.resolve(true);
  await turns();
  expect(dropped).toEqual([7]);
  message.push(numbers(2_000));
  await turns();
  expect(stored).toHaveLength(1);
  expect(leader.kinds).not.toContain('whole');
});

test('no input is kept here when all were told, however long the answer is followed', async () => {
  const { message, refs, written, body, leader, turns } = begin();
  message.push(head + numbers(1_500));
  leader.says(100);
  leader.says(103, { link, 'x-muster-job-key': '7' });
  message.push(null);
  await turns();
  written[0]!.resolve(true);
  await turns();
  written[1]!.resolve(true);
  await turns();
  expect(body.isUnfinished).toBe(false);
  collectGarbage();
  expect(refs.map((ref) => ref.deref())).toEqual([undefined, undefined]);
});

test('a leader that says no key ends it', async () => {
  const { message, stored, body, leader, turns } = begin();
  message.push(head + numbers(1_500));
  leader.says(100);
  leader.says(103, { link });
  await turns();
  expect(body.failure?.message).toContain('no key');
  expect([leader.destroyed, stored]).toEqual([true, []]);
});

test('what cannot be stored ends the request, and is dropped', async () => {
  const { message, dropped, written, body, leader, turns } = begin();
  message.push(head + numbers(1_500));
  leader.says(100);
  leader.says(103, { link, 'x-muster-job-key': '7' });
  await turns();
  written[0]!.reject(new Error('the database is gone'));
  await turns();
  expect(body.failure?.message).toBe('the database is gone');
  expect(leader.destroyed).toBe(true);
  body.end();
  await turns();
  expect(dropped).toEqual([7]);
});

test('of lines that are refused it stays known that nothing came of them', async () => {
  const { message, body, leader, turns } = begin();
  message.push(`${head}1\nnone\n`);
  leader.says(100);
  leader.says(103, { link, 'x-muster-job-key': '7' });
  await turns();
  expect(leader.kinds).toEqual(['job', 'refused']);
  expect([leader.writableEnded, body.isUnfinished]).toEqual([true, true]);
});

test('a leader that is told much is waited for', async () => {
  const { message, stored, written, leader, turns } = begin();
  message.push(head + numbers(2_000));
  leader.says(100);
  leader.says(103, { link, 'x-muster-job-key': '7' });
  await turns();
  leader.writableNeedDrain = true;
  written[0]!.resolve(true);
  await turns();
  expect(stored).toHaveLength(1);
  leader.writableNeedDrain = false;
  leader.emit('drain');
  await turns();
  expect(stored).toHaveLength(2);
});

test('what there is no room for is dropped, and the rest is read for its hash alone', async () => {
  const { message, stored, dropped, written, leader, turns } = begin();
  message.push(head + numbers(1_000));
  leader.says(100);
  leader.says(103, { link, 'x-muster-job-key': '7' });
  await turns();
  leader.says(102);
  written[0]!.resolve(true);
  message.push(numbers(2_000));
  await turns();
  expect(dropped).toEqual([7]);
  message.push(null);
  await turns();
  expect(stored).toHaveLength(1);
  expect(leader.said.at(-1)).toEqual(['whole', null, 3_000, 3_000]);
});
