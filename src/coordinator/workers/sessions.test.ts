import { expect, test } from 'vitest';
import type { CoordinatorMessage } from '../../protocol/messages.ts';
import { Session } from './sessions.ts';

function stage() {
  const frames: string[] = [];
  const closed: string[] = [];
  const sink = {
    send: (frame: string) => void frames.push(frame),
    close: (reason: string) => void closed.push(reason),
  };
  const none = () => undefined;
  const intake = { receive: none, closed: none, unreadable: none };
  return { session: new Session(1, sink, intake), frames, closed };
}

function ack(count: number): CoordinatorMessage {
  const accepted = Array.from({ length: count }, (_, i) => ({
    task_id: `j.${i}`,
    attempt: 1,
    kind: 'result' as const,
  }));
  return { type: 'ack', accepted };
}

test('a worker that goes on reporting, and reads nothing, loses its connection', () => {
  const { session, closed } = stage();
  session.reserve();
  for (let i = 0; i < 9; i++) session.post(ack(10_000));
  expect(closed).toEqual([]);
  session.post(ack(10_000));
  expect(closed).toEqual(['too much waits to be read']);
});

test('one that reads may report for as long as it likes, even while a place is held open', () => {
  const { session, frames, closed } = stage();
  let held = session.reserve();
  for (let i = 0; i < 30; i++) {
    session.post(ack(10_000));
    const next = session.reserve();
    held.close();
    session.flush();
    held = next;
  }
  expect(frames).toHaveLength(30);
  expect(closed).toEqual([]);
});

test('a worker that lacks what it was sent, time and again, loses its connection', () => {
  const { session, closed } = stage();
  for (let i = 0; i < 16; i++) session.forgetPrograms();
  expect(closed).toEqual([]);
  session.forgetPrograms();
  expect(closed).toEqual(['it lacks programs that it was sent']);
});
