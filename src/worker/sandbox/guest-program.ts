// The program of one job inside the child when it is a guest: the counterpart of `Program`, which is JavaScript.

import type { Attempt } from './attempt.ts';
import type { CheckpointCost } from './checkpoint-schedule.ts';
import type { GuestProgram as LoadedGuest, GuestSource } from './guest.ts';
import type { Guests } from './guests.ts';
import { GuestSteps, type GuestStepsSettings } from './guest-steps.ts';
import type { KeepOutput } from './messages.ts';

export class GuestProgram {
  readonly cost: CheckpointCost;
  keepOutput: KeepOutput = 'on_failure';
  readonly #kind: string;
  readonly #guests: Guests;
  readonly #source: () => GuestSource;
  #loaded: LoadedGuest | null = null;
  #loading: Promise<void> | null = null;
  #isForgotten = false;

  /** `source` is asked when it is loaded: it reads the shared value. */
  constructor(kind: string, source: () => GuestSource, cost: CheckpointCost, guests: Guests) {
    this.#kind = kind;
    this.#source = source;
    this.cost = cost;
    this.#guests = guests;
  }

  get isLoaded(): boolean {
    return this.#loaded !== null;
  }

  /** Rejects with what is wrong with the program. Tried again by the next attempt: it may have been the device. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    return this.#loading;
  }

  begin(attempt: Attempt, settings: GuestStepsSettings): GuestSteps {
    if (this.#loaded === null) throw new Error('the program has not been loaded');
    return new GuestSteps(this.#loaded, attempt, settings);
  }

  forget(): void {
    this.#isForgotten = true;
    this.#loaded?.forget();
    this.#loaded = null;
  }

  async #load(): Promise<void> {
    const kind = await this.#guests.get(this.#kind);
    const loaded = await kind.load(this.#source());
    if (this.#isForgotten) loaded.forget();
    else this.#loaded = loaded;
  }
}
