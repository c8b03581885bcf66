// When there is another trunk, the workers of before are greeted: those that run something first, whose tasks would be given
// to others otherwise, and not all at once. Each answers with a hello that the leader has to decide, while it serves
// everybody else.

import type { GatewayConnection } from './gateway-connection.ts';

const roundMs = 50;
/** So many are greeted at once; fewer are not worth a wait. */
const leastRound = 50;
/** However many there are, the last one is greeted by then. */
const mostMs = 5_000;

export interface GreetingsOptions {
  readonly greet: (connection: GatewayConnection) => void;
  /** Calls once, later; returns what cancels it. */
  readonly after: (ms: number, fn: () => void) => () => void;
}

export class Greetings {
  readonly #options: GreetingsOptions;
  #cancel: () => void = () => undefined;

  constructor(options: GreetingsOptions) {
    this.#options = options;
  }

  begin(connections: Iterable<GatewayConnection>): void {
    const all = [...connections];
    const waiting = [...all.filter(({ holds }) => holds), ...all.filter(({ holds }) => !holds)];
    const round = Math.max(leastRound, Math.ceil((waiting.length * roundMs) / mostMs));
    this.#greet(waiting, 0, round);
  }

  /** Nobody more is greeted for this trunk. */
  stop(): void {
    this.#cancel();
  }

  #greet(waiting: readonly GatewayConnection[], from: number, round: number): void {
    const to = from + round;
    for (const connection of waiting.slice(from, to)) this.#options.greet(connection);
    if (to >= waiting.length) return;
    this.#cancel = this.#options.after(roundMs, () => this.#greet(waiting, to, round));
  }
}
