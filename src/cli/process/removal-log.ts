// Tells an operator in the log which jobs were removed, by a client or by what is kept: a line for all of some
// seconds, however many go.

import type { Logger } from 'pino';
import type { ToldAs } from '../../core/told-events.ts';
import { counted } from '../text/wording.ts';

const gatherMs = 5_000;
/** In the sentence; and as a field, for programs. */
const idsShown = 3;
const idsListed = 100;

type Removal = ToldAs<'job_deleted'>;

interface Gathered {
  count: number;
  readonly ids: string[];
}

export class RemovalLog {
  readonly #log: Pick<Logger, 'info'>;
  readonly #gathered = new Map<Removal['because'], Gathered>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Pick<Logger, 'info'>) {
    this.#log = log;
  }

  add({ job, because }: Removal): void {
    const found = this.#gathered.get(because) ?? { count: 0, ids: [] };
    this.#gathered.set(because, found);
    found.count++;
    if (found.ids.length < idsListed) found.ids.push(job.spec.id);
    this.#timer ??= setTimeout(() => this.flush(), gatherMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [because, { count, ids }] of this.#gathered) {
      const which = count > 1 ? `: ${listed(ids, count)}` : '';
      const what = count === 1 ? `Job ${ids[0]} was` : `${counted(count, 'job')} were`;
      const left = count - ids.length;
      const part = left > 0 ? { job_ids_left_out: left } : {};
      const fields = { because, jobs: count, job_ids: ids, ...part };
      this.#log.info(fields, `${what} ${reasons[because]}${which}.`);
    }
    this.#gathered.clear();
  }
}

const reasons: Readonly<Record<Removal['because'], string>> = {
  asked: 'deleted, as a client asked',
  expired: 'removed by the rules of what is kept (retain_seconds, --keep-days, --keep-jobs)',
};

function listed(ids: readonly string[], count: number): string {
  const shown = ids.slice(0, idsShown).join(', ');
  return count > idsShown ? `${shown} and ${counted(count - idsShown, 'other')}` : shown;
}
