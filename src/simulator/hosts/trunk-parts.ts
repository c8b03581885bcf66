// What is at the two ends of a trunk: connections of devices at the host that follows, their sessions at the one that
// leads, and the checkers that hear of both.

import type { AssignMessage } from '../../protocol/messages.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { GatewayChecker } from '../checkers/gateway-checker.ts';
import type { Clock } from '../clock.ts';
import { isDiskFault } from '../disk-fault.ts';
import { sha256 } from '../links.ts';
import { Gateway } from './gateway.ts';
import type { HostCounts } from './host-counts.ts';
import { type CheckToken, LeaderTrunk } from './leader-trunk.ts';
import type { GatewayLife, MemberHost } from './member-host.ts';
import type { SimSocket } from './sim-socket.ts';

export interface TrunkPartsOptions {
  readonly clock: Clock;
  readonly disk: MemoryDisk;
  /** A frame of assignments ends when its payloads reach it. */
  readonly frameCharacters: number;
  readonly counts: HostCounts;
  readonly isInForce: (member: MemberHost) => boolean;
  /** Null: nobody needs a token. */
  readonly check: CheckToken | null;
  /** Assignments leave for a device from a host that does not lead, with what they need. */
  readonly onGiven: (message: AssignMessage) => void;
  /** The way from the leader to the worker is gone, which knows nothing of it yet. */
  readonly onCutOff: (workerId: string) => void;
  /** Takes what a checker throws. */
  readonly guard: (check: () => void) => void;
  readonly onBug: (error: Error) => void;
}

export class TrunkParts {
  private readonly options: TrunkPartsOptions;

  constructor(options: TrunkPartsOptions) {
    this.options = options;
  }

  createGateway(by: MemberHost, life: GatewayLife): Gateway {
    const { clock, disk, counts, frameCharacters, guard, onGiven, onBug } = this.options;
    const { isAlive, outfitting: store, setTimer, defer } = life;
    const now = () => clock.now;
    return new Gateway({
      store,
      runtime: { hash: sha256, defer, now, setTimer },
      checker: new GatewayChecker({ name: by.name, now, disk, count: (what) => counts[what]++ }),
      guard,
      isAlive,
      read: (fn) => by.host.standstill.read(fn),
      onFrame: (messages) => {
        for (const message of messages) {
          if (message.type === 'assign') guard(() => onGiven(message));
        }
      },
      onError: (error) => {
        if (!isDiskFault(error)) onBug(error);
      },
      frameCharacters,
    });
  }

  createTrunk(by: MemberHost, socket: SimSocket): LeaderTrunk {
    const { counts, guard, check, isInForce, onCutOff, onBug } = this.options;
    return new LeaderTrunk(socket, {
      host: by.host,
      defer: (fn) => by.defer(fn),
      check,
      onCutOff: (sessions) => {
        if (!isInForce(by)) return;
        const workers = by.host.coordinator?.state.workers;
        for (const { workerId, connectionId } of sessions) {
          const connection = workers?.get(workerId ?? '')?.connection;
          if (connection?.state !== 'connected' || connection.id !== connectionId) continue;
          counts.cut_off++;
          guard(() => onCutOff(workerId!));
        }
      },
      onBug,
    });
  }
}
