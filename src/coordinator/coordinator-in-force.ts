// The coordinator as its shells see it while one takes the place of another on the same store: the HTTP
// server and the connections to it stay. Each part is that of the coordinator in force at the moment when it
// is asked for. What a coordinator has begun (sessions, streams, uploads) is its own and ends with it, so
// nobody keeps a part for later.

import type { GatewaySessions } from './gateway/gateway-sessions.ts';
import type { Coordinator, CoordinatorPorts } from './port/coordinator.ts';
import type { Principal } from './port/principal.ts';
import { CoordinatorStopped } from './port/stopped.ts';

/** What goes on while none decides. */
export type StandInPorts = Pick<Coordinator, 'tokens' | 'for'>;

export class CoordinatorInForce implements Coordinator {
  private current: Coordinator | null = null;
  private readonly standIn: StandInPorts | null;
  private readonly gateway: GatewaySessions | null;

  /** `standIn`: who answers what it can while none decides. `gateway`: what becomes of workers' connections then. */
  constructor(standIn: StandInPorts | null = null, gateway: GatewaySessions | null = null) {
    this.standIn = standIn;
    this.gateway = gateway;
  }

  /** The one before must have been stopped, or have failed: a store has one writer. */
  enter(coordinator: Coordinator): void {
    if (this.current?.health === 'ready') throw new Error('Another coordinator is in force.');
    this.current = coordinator;
  }

  /** Nobody is in force then. Nothing happens when another has taken its place already. */
  leave(coordinator: Coordinator): void {
    if (this.current === coordinator) this.current = null;
  }

  get health(): Coordinator['health'] {
    return this.current?.health ?? 'starting';
  }

  get isCrowded(): boolean {
    return (this.current ?? this.gateway)?.isCrowded ?? false;
  }

  async eased(): Promise<void> {
    await (this.current ?? this.gateway)?.eased();
  }

  for(principal: Principal): CoordinatorPorts {
    return (this.standingIn ?? this.inForce).for(principal);
  }

  async clear(): ReturnType<Coordinator['clear']> {
    return this.inForce.clear();
  }

  get submissions(): Coordinator['submissions'] {
    return this.inForce.submissions;
  }

  get jobs(): Coordinator['jobs'] {
    return this.inForce.jobs;
  }

  get blobs(): Coordinator['blobs'] {
    return this.inForce.blobs;
  }

  get workers(): Coordinator['workers'] {
    return this.inForce.workers;
  }

  get sessions(): Coordinator['sessions'] {
    return this.current === null && this.gateway !== null ? this.gateway : this.inForce.sessions;
  }

  get pullWorkers(): Coordinator['pullWorkers'] {
    return this.inForce.pullWorkers;
  }

  get scheduler(): Coordinator['scheduler'] {
    return this.inForce.scheduler;
  }

  get quota(): Coordinator['quota'] {
    return this.inForce.quota;
  }

  get reads(): Coordinator['reads'] {
    return this.inForce.reads;
  }

  get taskReads(): Coordinator['taskReads'] {
    return this.inForce.taskReads;
  }

  get evaluation(): Coordinator['evaluation'] {
    return this.inForce.evaluation;
  }

  get notifications(): Coordinator['notifications'] {
    return this.inForce.notifications;
  }

  get events(): Coordinator['events'] {
    return this.inForce.events;
  }

  get audit(): Coordinator['audit'] {
    return this.inForce.audit;
  }

  get tokens(): Coordinator['tokens'] {
    return (this.standingIn ?? this.inForce).tokens;
  }

  /** Not while there is one that goes on: what was read for it is still to be read. */
  private get standingIn(): StandInPorts | null {
    return this.current?.health === 'ready' ? null : this.standIn;
  }

  /** Throws while there is none: what is asked then has not happened. */
  private get inForce(): Coordinator {
    if (this.current === null) throw new CoordinatorStopped();
    return this.current;
  }
}
