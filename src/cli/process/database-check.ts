// Lets a background thread check the database while the coordinator uses it. The findings go into the log
// and into the answer of `/healthz`.

import type { Logger } from 'pino';
import type { StoreHealth } from '../../protocol/resources.ts';
import { BackgroundCheck } from '../../store/sqlite/check/background-check.ts';
import type { CheckReport } from '../../store/sqlite/check/store-check.ts';
import { counted } from '../text/wording.ts';

/** Damaged values that one check logs; `muster doctor --deep` names all. */
const mostLogged = 20;

export class DatabaseCheck {
  /** Undefined before the first check has ended. */
  health: StoreHealth | undefined;
  readonly #path: string;
  readonly #log: Logger;
  readonly #check: BackgroundCheck | undefined;

  /** Without a file there is nothing that it could look at. */
  constructor(path: string | undefined, log: Logger, delayMs?: number) {
    this.#path = path ?? '';
    this.#log = log;
    if (path === undefined) return;
    this.#check = new BackgroundCheck(path, {
      onReport: (report) => this.#heard(report),
      onError: (error) => log.error({ err: error }, `${path} could not be checked`),
      ...(delayMs === undefined ? {} : { delayMs }),
    });
  }

  async stop(): Promise<void> {
    await this.#check?.stop();
  }

  #heard({ values, unverified, damaged, sentences }: CheckReport): void {
    this.health = { checked_at: new Date().toISOString(), values, unverified, damaged };
    const looked = `${this.#path} was checked: ${counted(values, 'value')}`;
    if (damaged === 0) return this.#log.info(`${looked}, none is damaged`);
    this.#log.error(
      `${looked}, ${damaged} damaged: \`muster doctor --deep\` names them, see docs/guides/recover.md`,
    );
    for (const sentence of sentences.slice(0, mostLogged)) this.#log.error(sentence);
  }
}
