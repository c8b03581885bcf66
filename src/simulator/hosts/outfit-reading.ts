// What a host that follows reads for the devices that are at it: it takes its time, fails where the way to the database is
// cut, and meets values that are damaged.

import type { OutfitReading } from '../../store/reading.ts';
import { StoreFault } from '../../store/store.ts';
import type { Faults } from '../faults.ts';
import type { Prng } from '../prng.ts';

export interface OutfitOptions {
  readonly prng: Prng;
  readonly faults: () => Pick<Faults, 'unreadable'>;
  /** Share of reads. */
  readonly slowReads: () => number;
  readonly isUp: () => boolean;
  readonly pause: (ms: number) => Promise<void>;
  readonly onUnreadable: (isDamaged: boolean) => void;
}

/** A read that cannot reach the database is given up after this. */
const patienceMs = 3_000;
const longestReadMs = 4_000;
/** Of what cannot be read, so much is damaged; the rest may be read the next time. */
const damaged = 0.5;

export function createOutfitReading(store: OutfitReading, options: OutfitOptions): OutfitReading {
  const { prng, faults, slowReads, isUp, pause, onUnreadable } = options;
  const unreachable = () =>
    new StoreFault('store_unreachable', 'The simulated database cannot be reached.');
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    const { unreadable } = faults();
    if (prng.chance(slowReads())) await pause(prng.spread(1, longestReadMs));
    if (!isUp()) {
      await pause(patienceMs);
      throw unreachable();
    }
    if (!prng.chance(unreadable)) return call();
    const isDamaged = prng.chance(damaged);
    onUnreadable(isDamaged);
    throw isDamaged
      ? new StoreFault('value_damaged', 'The simulated value is damaged.')
      : unreachable();
  };
  return {
    readInputs: (...given) => read(() => store.readInputs(...given)),
    findProgram: (...given) => read(() => store.findProgram(...given)),
    findProgramHash: (...given) => read(() => store.findProgramHash(...given)),
    readCheckpointState: (...given) => read(() => store.readCheckpointState(...given)),
    readBlob: (...given) => read(() => store.readBlob(...given)),
  };
}
