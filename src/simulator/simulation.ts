// One simulation in two acts. In the first there are faults, and nothing unsafe may happen. In the second
// the world has healed, and everything that was begun must end. A seed always gives the same simulation,
// step by step.

import type { SimulationOptions, SimulationReport } from './report.ts';
import { World } from './world.ts';

/** A promise was broken; the message has the seed, the story and how to run it again. */
export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure';
  readonly seed: number;

  constructor(seed: number, cause: Error) {
    super(`Seed ${seed}: ${cause.message}\nRun it again: npm run simulate -- --seed ${seed}`, {
      cause,
    });
    this.seed = seed;
  }
}

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const world = new World(options);
  try {
    await world.play();
  } catch (error) {
    throw new SimulationFailure(options.seed, error as Error);
  }
  return world.summary();
}
