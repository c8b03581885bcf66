import { describe, expect, test } from 'vitest';
import { staysOf } from './stays.ts';
import type { Move } from './trace.ts';

const leaseMs = 15_000;

function joined(at_ms: number): Move {
  const about = { device: 'pc', platform: 'linux', isolation: 'ses', slots: 1, cores: 1 };
  return { type: 'worker_joined', at_ms, worker: 1, ...about, labels: {} };
}

function gone(at_ms: number, why: Extract<Move, { type: 'worker_gone' }>['why']): Move {
  return { type: 'worker_gone', at_ms, worker: 1, why };
}

function turned(
  type: 'worker_paused' | 'worker_resumed',
  at_ms: number,
  why: Extract<Move, { type: 'worker_paused' }>['why'],
): Move {
  return { type, at_ms, worker: 1, why };
}

/** In seconds: from when to when it was there, and how it went. */
function told(moves: readonly Move[]): readonly string[] {
  const stays = staysOf(moves, leaseMs);
  if (stays === null) return [];
  let at = stays.joinsAtMs;
  return stays.spans.flatMap(({ isHere, forMs, goes }) => {
    const from = at;
    at += forMs;
    return isHere ? [`${from / 1000} to ${at / 1000} ${goes}`] : [];
  });
}

describe('staysOf', () => {
  test.each<[string, readonly Move[], readonly string[]]>([
    ['one that stays is there for ever', [joined(2000)], ['2 to Infinity cut']],
    ['one that never joined is not there', [turned('worker_paused', 5, 'draining')], []],
    [
      'a connection that came back was no absence',
      [joined(0), gone(5000, 'disconnected'), joined(9000)],
      ['0 to Infinity cut'],
    ],
    [
      'one that was lost had gone when its connection broke',
      [joined(0), gone(5000, 'disconnected'), gone(15_000, 'lost'), joined(60_000)],
      ['0 to 5 cut', '60 to Infinity cut'],
    ],
    [
      'one that was silent had gone a lease before that was noticed',
      [joined(0), gone(40_000, 'lost')],
      ['0 to 25 cut'],
    ],
    ['one that leaves hands its work back', [joined(0), gone(7000, 'left')], ['0 to 7 leaves']],
    [
      'one that says that it leaves has gone then',
      [joined(0), turned('worker_paused', 6000, 'leaving'), gone(7000, 'left'), joined(9000)],
      ['0 to 6 leaves', '9 to Infinity cut'],
    ],
    [
      'one that is drained is away until it is resumed, also when it comes back meanwhile',
      [
        joined(0),
        turned('worker_paused', 1000, 'draining'),
        gone(2000, 'disconnected'),
        joined(3000),
        turned('worker_resumed', 8000, 'draining'),
      ],
      ['0 to 1 leaves', '8 to Infinity cut'],
    ],
    [
      'quarantine is found out anew when it is played',
      [joined(0), turned('worker_paused', 1000, 'quarantined')],
      ['0 to Infinity cut'],
    ],
  ])('%s', (_, moves, stays) => {
    expect(told(moves)).toEqual(stays);
  });
});
