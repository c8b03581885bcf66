// Counts how often each situation that the simulator is meant to exercise has occurred: a checker that
// never had anything to check proves nothing.

import type { ToldEvent } from '../core/told-events.ts';
import type { WriteBatch } from '../store/rows.ts';
import { times } from './times.ts';

const names = [
  'assigned',
  'completed',
  'failed',
  'lost',
  'timed_out',
  'late_results',
  'checkpoints',
  'resumed',
  'adopted',
  'copied',
  'copies_won',
  'superseded',
  'quarantined',
  'probes_failed',
  'released',
  'streamed',
  'stream_resets',
  'lies',
  'false_checkpoints',
  'coordinator_crashes',
  'stalls',
  'clock_sets',
  'unreadable',
  'refused_reads',
  'claims_lost',
  'claims_left',
  'readers_left',
  'readers_stalled',
  'streamed_jobs',
  'crowds',
  'large_jobs',
  'device_crashes',
  'moods',
  'refused',
  'expired',
  'forgotten',
  'handed_over',
  'drains_ended',
  'held',
  'held_from_the_start',
  'told',
  'told_again',
  'told_in_vain',
  'own_looks',
  'foreign_looks',
  'turned_away',
  'waited',
  'impatient',
  'let_in',
  'not_let_in',
  'renamed',
  'registered_again',
  'links_revoked',
  'rests',
  'given_back_in_rest',
  'leases_for_now',
  'reports_kept',
  'reports_of_before',
  'pages_closed',
  'held_before',
  'slots_changed',
  'sent_ahead',
  'sent_in_vain',
] as const;

type Name = (typeof names)[number];

export type Counts = Readonly<Record<Name, number>>;

export class Coverage {
  private readonly counted = noCounts();

  get counts(): Counts {
    return { ...this.counted };
  }

  count(name: Name): void {
    this.counted[name]++;
  }

  /** Called with committed events. */
  observe(event: ToldEvent): void {
    switch (event.type) {
      case 'task_assigned':
        return this.count(event.isCopy ? 'copied' : 'assigned');
      case 'checkpoint_saved':
        return this.count('checkpoints');
      case 'task_completed':
        this.count('completed');
        if (event.overtaken !== null) this.count('copies_won');
        return;
      case 'attempt_ended':
        if (event.outcome === 'lost' || event.outcome === 'timed_out') this.count(event.outcome);
        if (event.outcome === 'superseded') this.count('superseded');
        if (event.outcome === 'refused') this.count('refused');
        if (event.errorType === 'worker_rests') this.count('given_back_in_rest');
        return;
      case 'job_deleted':
        if (event.because === 'expired') this.count('expired');
        return;
      case 'notification_tried': {
        const { outcome } = event.notification;
        if (outcome === 'due') return this.count('told_again');
        return this.count(outcome === 'delivered' ? 'told' : 'told_in_vain');
      }
      case 'worker_deregistered':
        if (event.because === 'away') this.count('forgotten');
        return;
      case 'worker_registered':
        if ((event.command.waitsUntil ?? null) !== null) this.count('waited');
        return;
      case 'worker_rest_changed':
        if (event.because !== null) this.count('rests');
        return;
      case 'worker_lease_changed':
        if (event.leaseMs !== null) this.count('leases_for_now');
        return;
      case 'job_held':
        return this.count('held');
      case 'job_submitted':
        if (event.spec.hold) this.count('held_from_the_start');
        return;
      case 'task_failed':
        return this.count('failed');
      case 'worker_quarantined':
        return this.count(
          event.pauseMs > times.quarantinePauseMs ? 'probes_failed' : 'quarantined',
        );
      case 'worker_released':
        return this.count('released');
      default:
        return;
    }
  }

  /** Called when a batch was written. */
  written(batch: WriteBatch): void {
    for (const { outcome } of batch.recoveries) if (outcome === 'adopted') this.count('adopted');
  }
}

export function noCounts(): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

export function addCounts(sum: Record<Name, number>, more: Counts): void {
  for (const name of names) sum[name] += more[name];
}

/** Names of the situations that never occurred. */
export function neverSeen(counts: Counts): readonly string[] {
  return names.filter((name) => counts[name] === 0);
}

/** The counts as lines of a few columns. */
export function countLines(counts: Counts): string[] {
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)} ${counts[name]}`);
}
