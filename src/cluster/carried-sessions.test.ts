// Sessions that a trunk carries to whoever decides, with a coordinator that a test plays.

import { beforeEach, expect, test } from 'vitest';
import type { SessionSink } from '../coordinator/port/workers.ts';
import type { WorkerMessage } from '../protocol/messages.ts';
import { CarriedSessions, type Whose } from './carried-sessions.ts';
import { RecordWriter } from './record-writer.ts';

let frames: string[];
let sinks: SessionSink[];
let heard: (readonly [session: number, type: string])[];
let ended: (readonly [session: number, isCut: boolean | undefined])[];
let whose: (token: string | null) => Promise<Whose>;
let faults: unknown[];
let cuts: number;
let sessions: CarriedSessions;

beforeEach(() => {
  [frames, sinks, heard, ended, faults, cuts] = [[], [], [], [], [], 0];
  whose = async () => ({ is: 'good', bearer: null });
  const socket = { bufferedAmount: 0, send: (frame: string) => void frames.push(frame) };
  sessions = new CarriedSessions({
    writer: new RecordWriter(socket, (fn) => queueMicrotask(fn)),
    whose: (token) => whose(token),
    enter: () => ({
      say: (_hasHello, handOver) => handOver(),
      known: () => undefined,
      refused: () => undefined,
      left: () => undefined,
    }),
    turnedAway: () => undefined,
    open: (sink) => {
      const place = sinks.push(sink);
      return {
        workerId: null,
        hasWorked: false,
        receive: (messages) => void heard.push([place, messages[0]!.type]),
        closed: (isCut) => void ended.push([place, isCut]),
        unreadable: () => undefined,
      };
    },
    foundDamaged: () => undefined,
    mostWaitingBytes: 100,
    isOfTrunk: (fault) => {
      faults.push(fault);
      return (fault as Error).message === 'The coordinator stops.';
    },
    cut: () => void cuts++,
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
const said = (type: string) => (): { messages: WorkerMessage[]; answers: []; isFatal: false } => ({
  messages: [{ type } as WorkerMessage],
  answers: [],
  isFatal: false,
});

function say(n: number, type: string, bytes = 10): void {
  sessions.take(['in', n, bytes, {}], said(type));
}

test('what comes before it is known whose token it is waits, in order', async () => {
  sessions.take(['open', 1, 'token', null], said(''));
  say(1, 'hello');
  say(1, 'heartbeat');
  expect(heard).toEqual([]);
  await turn();
  say(1, 'result');
  expect(heard).toEqual([
    [1, 'hello'],
    [1, 'heartbeat'],
    [1, 'result'],
  ]);
});

test('who says too much meanwhile is ended, and nobody else is', async () => {
  sessions.take(['open', 1, null, null], said(''));
  sessions.take(['open', 2, null, null], said(''));
  say(1, 'hello', 101);
  say(2, 'hello');
  await turn();
  expect(frames).toEqual(['[["end",1,"too much before an answer",1008]]']);
  expect(heard).toEqual([[1, 'hello']]);
});

test('a token that cannot be read costs the connection that showed it, not the trunk', async () => {
  whose = async (token) => {
    if (token === 'unreadable') throw new Error('The row is damaged.');
    return { is: 'good', bearer: null };
  };
  sessions.take(['open', 1, 'unreadable', null], said(''));
  sessions.take(['open', 2, 'token', null], said(''));
  await turn();
  expect(frames).toEqual(['[["end",1,"it could not be found out whose token this is",1011]]']);
  expect([sessions.size, cuts, faults.length]).toEqual([1, 0, 1]);
});

test('a coordinator that stops ends the trunk', async () => {
  whose = async () => {
    throw new Error('The coordinator stops.');
  };
  sessions.take(['open', 1, null, null], said(''));
  await turn();
  expect(cuts).toBe(1);
});

test('a trunk that ends tells each session that its worker knows nothing of it', async () => {
  for (const n of [1, 2, 3]) sessions.take(['open', n, null, null], said(''));
  await turn();
  sessions.take(['gone', 2], said(''));
  sessions.end();
  expect(ended).toEqual([
    [2, undefined],
    [1, true],
    [3, true],
  ]);
  sinks[0]!.send('[]');
  expect(frames).toEqual([]);
});

test('a number that is used already is none of a member of this version', () => {
  expect(sessions.take(['open', 1, null, null], said(''))).toBeNull();
  expect(sessions.take(['open', 1, null, null], said(''))).toBe('a number that is used already');
});
