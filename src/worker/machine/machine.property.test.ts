// Any order of messages, outcomes, drops, timers and rests: the invariants hold after every step, and once the faults
// end, everything that was assigned is accounted for, and nothing is kept.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deed } from './testing/deeds.ts';
import { Play } from './testing/play.ts';

test('keeps its invariants and loses nothing in any order of events', () => {
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 80 }), (deeds) => {
      const play = new Play();
      for (const each of deeds) play.perform(each);
      play.heal();
      expect(play.faults).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test('leaves, whatever has happened before', () => {
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 40 }), fc.boolean(), (deeds, isHurried) => {
      const play = new Play();
      for (const each of deeds) play.perform(each);
      play.leave(isHurried);
      expect(play.faults).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
