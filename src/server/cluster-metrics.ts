// What `/metrics` tells of a cluster at one of its members. The database is not asked: the figures are those that
// the member has read last.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { ClusterPort } from '../cluster/port.ts';

/**
 * What became of a request that was to be passed on: the leader has answered, or this member has, from the store alone;
 * there was no leader, and nothing was begun; it is not known whether it took effect; its client left; it failed here.
 */
export type PassedOutcome = (typeof outcomes)[number];

const outcomes = [
  'answered',
  'from_store',
  'no_leader',
  'unknown',
  'client_gone',
  'failed',
] as const;

export class ClusterMetrics {
  readonly #cluster: Pick<ClusterPort, 'role' | 'figures' | 'isCutOff'>;
  readonly #isLeader: Gauge;
  readonly #isCutOff: Gauge;
  readonly #epoch: Gauge;
  readonly #alive: Gauge;
  readonly #takeovers: Counter;
  readonly #passed: Counter;

  constructor(registry: Registry, cluster: Pick<ClusterPort, 'role' | 'figures' | 'isCutOff'>) {
    this.#cluster = cluster;
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
    const counter = (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers: [registry] });
    this.#isLeader = gauge('muster_cluster_is_leader', '1 at the member that leads, else 0');
    this.#isCutOff = gauge(
      'muster_cluster_is_cut_off',
      '1 while the database has not answered this member for seconds, else 0',
    );
    this.#epoch = gauge('muster_cluster_epoch', 'Number of the newest term');
    this.#alive = gauge('muster_cluster_members_alive', 'Members heard of in the last seconds');
    this.#takeovers = counter(
      'muster_cluster_takeovers_total',
      'How often this process has become the leader',
    );
    this.#passed = counter(
      'muster_cluster_passed_on_total',
      'Requests for the leader that came to this member, by what became of them',
      ['outcome'],
    );
    for (const outcome of outcomes) this.#passed.inc({ outcome }, 0);
  }

  countPassed(outcome: PassedOutcome): void {
    this.#passed.inc({ outcome });
  }

  /** Before they are told. */
  set(): void {
    const { role, figures, isCutOff } = this.#cluster;
    this.#isLeader.set(role === 'leading' ? 1 : 0);
    this.#isCutOff.set(isCutOff ? 1 : 0);
    this.#epoch.set(figures.epoch);
    this.#alive.set(figures.membersAlive);
    this.#takeovers.reset();
    this.#takeovers.inc(figures.takeovers);
  }
}
