// Ends what is open in the name of a token that is good no more, where nobody tells of that: at a member of a cluster that
// does not lead, tokens are taken back by another. Whoever has something open here is looked up again and again.

import type { Bearer, Checked } from '../../coordinator/port/tokens.ts';
import type { LiveHolders } from './live-holders.ts';

const usualPauseMs = 1_000;

export interface TokenWatchOptions {
  readonly live: Pick<LiveHolders, 'bearers' | 'endOf' | 'endNameless'>;
  /** Nobody tells of changes at this moment. */
  readonly isUntold: () => boolean;
  readonly check: (token: string) => Promise<Checked>;
  /** Nobody is served without a token. */
  readonly isNeeded: () => boolean;
  readonly pauseMs?: number | undefined;
}

export class TokenWatch {
  readonly #options: TokenWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(options: TokenWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#look(), options.pauseMs ?? usualPauseMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { live, isUntold, isNeeded } = this.#options;
    if (this.#isLooking || !isUntold()) return;
    this.#isLooking = true;
    if (isNeeded()) live.endNameless();
    // One after the other: they share the connections of those who read.
    for (const bearer of live.bearers()) {
      if (await this.#isOver(bearer)) live.endOf(bearer.principal.tokenId);
    }
    this.#isLooking = false;
  }

  /** While nobody can be asked, it goes on. */
  async #isOver({ text }: Bearer): Promise<boolean> {
    try {
      return (await this.#options.check(text)).is !== 'good';
    } catch {
      return false;
    }
  }
}
