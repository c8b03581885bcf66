import { expect, test } from 'vitest';
import { RecordWriter } from './record-writer.ts';

function stage(most = 100) {
  const frames: string[] = [];
  const turns: (() => void)[] = [];
  const written: (() => void)[] = [];
  const socket = {
    bufferedAmount: 0,
    send(frame: string, done: () => void) {
      frames.push(frame);
      socket.bufferedAmount += frame.length;
      written.push(() => {
        socket.bufferedAmount -= frame.length;
        done();
      });
    },
  };
  const writer = new RecordWriter(socket, (fn) => void turns.push(fn), most);
  const turn = () => {
    for (const fn of turns.splice(0)) fn();
  };
  return { writer, frames, turn, read: () => written.shift()?.() };
}

test('records of a turn are one frame, in order', () => {
  const { writer, frames, turn } = stage();
  writer.write('[1]');
  writer.write('[2]');
  expect(frames).toEqual([]);
  turn();
  writer.write('[3]');
  turn();
  turn();
  expect(frames).toEqual(['[[1],[2]]', '[[3]]']);
});

test('many are sent before the turn is over', () => {
  const { writer, frames, turn } = stage();
  const long = `"${'x'.repeat(600_000)}"`;
  writer.write(long);
  writer.write(long);
  expect(frames).toHaveLength(1);
  writer.write('[3]');
  turn();
  expect(frames[1]).toBe('[[3]]');
});

test('who does not read is behind until it has read enough, or is gone', async () => {
  const { writer, turn, read } = stage(100);
  expect(writer.isBehind).toBe(false);
  await writer.caughtUp();
  writer.write(`"${'x'.repeat(80)}"`);
  turn();
  writer.write(`"${'x'.repeat(80)}"`);
  expect(writer.isBehind).toBe(true);
  let isThere = false;
  const waiting = writer.caughtUp().then(() => (isThere = true));
  turn();
  await Promise.resolve();
  expect(isThere).toBe(false);
  read();
  await waiting;
  writer.write(`"${'x'.repeat(80)}"`);
  const gone = writer.caughtUp();
  writer.end();
  await gone;
  expect(writer.isBehind).toBe(false);
});

test('nothing is written after the end', () => {
  const { writer, frames, turn } = stage();
  writer.write('[1]');
  writer.end();
  writer.write('[2]');
  turn();
  expect(frames).toEqual([]);
});
