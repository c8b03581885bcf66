// What the trunk of another host carries, at the one that leads: the frames of its workers enter behind the validation, as
// all messages do here.

import {
  CarriedSessions,
  type ReadMessages,
  type Visitor,
} from '../../cluster/carried-sessions.ts';
import { RecordWriter } from '../../cluster/record-writer.ts';
import type { TrunkReader } from '../../cluster/trunk-ends.ts';
import { readToLeader } from '../../cluster/trunk-records.ts';
import type { RunningCoordinator } from '../../coordinator/coordinator.ts';
import { CoordinatorStopped } from '../../coordinator/port/stopped.ts';
import type { Rejection } from '../../coordinator/port/rejection.ts';
import type { Bearer } from '../../coordinator/port/tokens.ts';
import type { WorkerMessage } from '../../protocol/messages.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { isDiskFault } from '../disk-fault.ts';
import type { Host, HostSession } from '../host.ts';
import type { SimSocket } from './sim-socket.ts';

export type CheckToken = (
  coordinator: RunningCoordinator,
  token: string | null,
) => Promise<Bearer | Rejection<'unauthorized'>>;

export interface LeaderTrunkOptions {
  readonly host: Pick<Host, 'coordinator' | 'openElsewhere'>;
  readonly defer: (fn: () => void) => void;
  /** Null: nobody needs a token. */
  readonly check: CheckToken | null;
  /** The way to these workers is gone, and they know nothing of it yet. */
  readonly onCutOff: (sessions: readonly HostSession[]) => void;
  readonly onBug: (error: Error) => void;
}

interface Entered {
  session: HostSession | null;
}

const mostWaitingBytes = 1_000_000;

export class LeaderTrunk implements TrunkReader {
  readonly isListening = true;
  private readonly socket: SimSocket;
  private readonly options: LeaderTrunkOptions;
  private readonly carried: CarriedSessions;
  private readonly sessions = new Set<HostSession>();
  /** Who has come last. */
  private entered: Entered = { session: null };

  constructor(socket: SimSocket, options: LeaderTrunkOptions) {
    this.socket = socket;
    this.options = options;
    const { host, defer } = options;
    this.carried = new CarriedSessions({
      writer: new RecordWriter(socket, defer),
      whose: async (token) => {
        const checked = await this.check(token);
        return checked !== null && 'code' in checked
          ? { is: 'refused', ...checked }
          : { is: 'good', bearer: checked };
      },
      enter: () => this.enter(),
      turnedAway: () => undefined,
      open: (sink, bearer) => {
        const session = host.openElsewhere(sink, bearer);
        if (session === null) throw new CoordinatorStopped();
        this.sessions.add(session);
        this.entered.session = session;
        return session;
      },
      foundDamaged: (taskId, id) => host.coordinator?.sessions.foundDamaged(taskId, id),
      mostWaitingBytes,
      cut: () => socket.terminate(),
      isOfTrunk: (fault) => this.isOfTrunk(fault),
    });
    socket.on('message', (data: string) => this.read(data));
    socket.once('close', () => {
      options.onCutOff([...this.sessions]);
      this.sessions.clear();
      this.carried.end();
    });
  }

  get size(): number {
    return this.carried.size;
  }

  private enter(): Visitor {
    const entered: Entered = { session: null };
    this.entered = entered;
    return {
      say: (_hasHello, handOver) => handOver(),
      known: () => undefined,
      refused: () => undefined,
      left: () => {
        if (entered.session !== null) this.sessions.delete(entered.session);
      },
    };
  }

  private async check(token: string | null): Promise<Bearer | Rejection<'unauthorized'> | null> {
    const { host, check } = this.options;
    if (check === null) return null;
    if (host.coordinator === null) throw new CoordinatorStopped();
    return check(host.coordinator, token);
  }

  private read(frame: string): void {
    const records = readToLeader(JSON.parse(frame));
    if (records === null) return this.options.onBug(new BrokenPromise(`No records: ${frame}`));
    for (const record of records) {
      const problem = this.carried.take(record, messagesOf);
      if (problem === null) continue;
      this.options.onBug(new BrokenPromise(`A host has sent ${problem} on its trunk.`));
    }
  }

  private isOfTrunk(fault: unknown): boolean {
    if (fault instanceof CoordinatorStopped) return true;
    if (!isDiskFault(fault)) this.options.onBug(fault as Error);
    return false;
  }
}

function messagesOf(value: unknown): ReadMessages {
  const messages = (Array.isArray(value) ? value : [value]) as WorkerMessage[];
  return { messages, answers: [], isFatal: false };
}
