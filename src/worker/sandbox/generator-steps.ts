// The generator of a task, run from yield to yield. It is left at one when the attempt was asked to stop.

import type { Attempt } from './attempt.ts';
import { type Ending, endingOfValue, stopped } from './ending.ts';
import { generatorNext, generatorReturn } from './generators.ts';
import type { Host } from './host.ts';
import type { Steps } from './steps.ts';

export interface GeneratorSettings {
  readonly host: Host;
  readonly resultLimitBytes: number;
  readonly now: () => number;
  /** Outcomes of earlier attempts do not wait for this one. */
  readonly flushIfDue: (now: number) => void;
}

export class GeneratorSteps implements Steps {
  readonly #generator: Generator;
  readonly #attempt: Attempt;
  readonly #settings: GeneratorSettings;

  /** `generator`: a generator object, whatever its owner has made of its properties. */
  constructor(generator: object, attempt: Attempt, settings: GeneratorSettings) {
    this.#generator = generator as Generator;
    this.#attempt = attempt;
    this.#settings = settings;
  }

  step(sliceEnd: number): Ending | null {
    const { host, resultLimitBytes, now, flushIfDue } = this.#settings;
    for (;;) {
      if (this.#attempt.mayGiveWay) return this.#giveWay();
      const step = generatorNext.call(this.#generator);
      if (step.done === true) return endingOfValue(step.value, resultLimitBytes, host);
      const at = now();
      this.#attempt.yielded(step.value, at);
      if (at >= sliceEnd) return null;
      flushIfDue(at);
    }
  }

  #giveWay(): Ending {
    this.#attempt.lastCheckpoint();
    try {
      generatorReturn.call(this.#generator, undefined);
    } catch {
      // Errors of its `finally` blocks change nothing: it was stopped.
    }
    return stopped;
  }
}
