// The leader's ends of trunks, with members and a clock that a test plays.

import { EventEmitter } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import { TrunkEnds } from './trunk-ends.ts';
import type { TrunkSocket } from './trunk.ts';

class Member extends EventEmitter implements TrunkSocket {
  readonly bufferedAmount = 0;
  readonly heard: string[] = [];
  send(frame: string): void {
    this.heard.push((JSON.parse(frame) as { term: string }).term);
  }
  ping(): void {
    this.heard.push('ping');
  }
  close(code: number, reason: string): void {
    this.heard.push(`${code} ${reason}`);
  }
  terminate(): void {
    this.heard.push('cut');
    this.emit('close');
  }
  greets(term: string | null): void {
    this.emit('message', JSON.stringify({ trunk: 1, term, member: 'two', version: '1' }), false);
  }
}

let timers: { at: number; readonly fn: () => void; readonly everyMs: number | null }[];
let now: number;
let term: string | null;
let begun: Member[];
let ends: TrunkEnds<Member>;

beforeEach(() => {
  [timers, now, term, begun] = [[], 0, 'term-1', []];
  const set = (everyMs: number | null, ms: number, fn: () => void) => {
    const timer = { at: now + ms, fn, everyMs };
    timers.push(timer);
    return () => void (timers = timers.filter((each) => each !== timer));
  };
  ends = new TrunkEnds({
    cluster: {
      member: 'one',
      role: 'leading',
      get ownTerm() {
        return term;
      },
    },
    version: '1',
    begin: (socket) => {
      begun.push(socket);
      return { isListening: true };
    },
    clock: {
      setTimer: (ms, fn) => set(null, ms, fn),
      often: (ms, fn) => set(ms, ms, fn),
      defer: (fn) => fn(),
    },
  });
});

function pass(ms: number): void {
  const end = now + ms;
  for (;;) {
    const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    if (next === undefined) break;
    now = next.at;
    if (next.everyMs === null) timers = timers.filter((each) => each !== next);
    else next.at += next.everyMs;
    next.fn();
  }
  now = end;
}

function open(): Member {
  const member = new Member();
  ends.greet(member);
  member.greets('term-1');
  return member;
}

test('a member that is after the term which is led has a trunk, and is seen', () => {
  const member = open();
  expect([member.heard, begun, ends.members]).toEqual([['term-1'], [member], ['two']]);
});

test('who is after another term, or says nothing, has none', () => {
  const [other, silent] = [new Member(), new Member()];
  for (const member of [other, silent]) ends.greet(member);
  other.greets('term-0');
  pass(2_000);
  expect(other.heard.slice(0, 2)).toEqual(['term-1', '1013 this member does not lead that term']);
  expect(silent.heard).toEqual(['term-1', '1008 no greeting']);
  expect([begun, ends.members]).toEqual([[], []]);
});

test('it ends once with its term, and is cut where the other side does not confirm that', () => {
  const member = open();
  term = 'term-2';
  pass(5_000);
  const said = member.heard.filter((each) => each !== 'ping');
  expect(said).toEqual(['term-1', '1013 this member does not lead that term', 'cut']);
  expect(member.listenerCount('close')).toBe(0);
  expect([ends.members, timers]).toEqual([[], []]);
});

test('a member that falls silent is cut, and one that answers is not', () => {
  const [silent, there] = [open(), open()];
  for (let i = 0; i < 10; i++) {
    pass(1_000);
    there.emit('pong');
  }
  expect(silent.heard).toEqual(['term-1', 'ping', 'ping', 'ping', 'cut']);
  expect(there.heard.at(-1)).toBe('ping');
});

test('all end when the server closes, and none begins', () => {
  const member = open();
  ends.close('it stops');
  const late = new Member();
  ends.greet(late);
  expect([member.heard.at(-1), late.heard]).toEqual(['1001 it stops', ['1001 it stops']]);
});
