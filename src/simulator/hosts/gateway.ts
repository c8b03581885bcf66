// Connections of devices that end at a host which does not lead: the production code of a member, with a checker on both
// of its sides, the one of the devices and the one of the trunk.

import { GatewaySessions } from '../../coordinator/gateway/gateway-sessions.ts';
import type { Bearer } from '../../coordinator/port/tokens.ts';
import type { TrunkEars, TrunkPort } from '../../coordinator/port/trunk.ts';
import type { SessionSink, WorkerSession } from '../../coordinator/port/workers.ts';
import type { Runtime } from '../../coordinator/runtime.ts';
import type { CoordinatorMessage } from '../../protocol/messages.ts';
import type { OutfitReading } from '../../store/reading.ts';
import type { GatewayChecker } from '../checkers/gateway-checker.ts';
import type { Sink } from '../machine.ts';
import { messagesOf } from '../network.ts';

export interface GatewayOptions {
  readonly store: OutfitReading;
  readonly runtime: Pick<Runtime, 'hash' | 'defer' | 'now' | 'setTimer'>;
  readonly checker: GatewayChecker;
  /** Takes what a checker throws. */
  readonly guard: (check: () => void) => void;
  /** The process has not died. */
  readonly isAlive: () => boolean;
  /** Calls when the process reads what has come. */
  readonly read: (fn: () => void) => void;
  /** A frame leaves for a device. */
  readonly onFrame: (messages: readonly CoordinatorMessage[]) => void;
  readonly onError: (error: Error) => void;
  /** Small where one dispatch is to become several frames. */
  readonly frameCharacters: number;
}

export class Gateway {
  private readonly options: GatewayOptions;
  private readonly sessions: GatewaySessions;
  /** To the devices, by what the connections are called. */
  private readonly sinks = new Map<string, Sink>();
  private connections = 0;

  constructor(options: GatewayOptions) {
    this.options = options;
    this.sessions = new GatewaySessions(options);
  }

  /** Connections that the present trunk carries. */
  get carried(): number {
    return this.sessions.size;
  }

  get size(): number {
    return this.sinks.size;
  }

  begin(trunk: TrunkPort): TrunkEars {
    const { checker } = this.options;
    const watch = (check: () => void) => this.options.guard(check);
    watch(() => checker.trunkOpened());
    const ears = this.sessions.begin({
      open: (n, opening) => {
        watch(() => checker.opened(n, opening.address!));
        trunk.open(n, opening);
      },
      pass: (n, messages, bytes) => {
        watch(() => checker.passed(n, messages));
        trunk.pass(n, messages, bytes);
      },
      gone: (n) => {
        watch(() => checker.gone(n));
        trunk.gone(n);
      },
      unreadable: (n, ref, problem) => {
        watch(() => checker.unreadable(n, ref, problem));
        trunk.unreadable(n, ref, problem);
      },
      damaged: (taskId, id) => trunk.damaged(taskId, id),
      get isBehind() {
        return trunk.isBehind;
      },
      caughtUp: () => trunk.caughtUp(),
    });
    return {
      out: (n, messages) => {
        watch(() => checker.out(n, messages));
        ears.out(n, messages);
      },
      end: (n, reason, code) => {
        watch(() => checker.ended(n));
        ears.end(n, reason, code);
      },
      lost: (because) => {
        watch(() => checker.trunkLost());
        ears.lost(because);
      },
    };
  }

  /** The process stood still until now. */
  excuse(): void {
    this.options.checker.excuse();
  }

  /** A value that is read for it is damaged. */
  damaged(): void {
    this.options.checker.damaged();
  }

  /** Whenever time has passed. */
  look(): void {
    if (this.options.isAlive()) this.options.checker.look();
  }

  giveUp(): void {
    this.sessions.giveUp('this host leads now');
  }

  /** Throws `CoordinatorStopped` while there is no trunk. */
  open(sink: Sink, bearer: Bearer | null): WorkerSession {
    const { checker, guard, isAlive, read, onFrame } = this.options;
    const name = `connection ${++this.connections}`;
    const isOpen = () => isAlive() && this.sinks.get(name) === sink;
    const left = () => {
      this.sinks.delete(name);
      guard(() => checker.left(name));
    };
    const outer: SessionSink = {
      send: (frame) => {
        if (!isOpen()) return;
        const messages = messagesOf(frame) as CoordinatorMessage[];
        guard(() => checker.sent(name, messages));
        onFrame(messages);
        sink.send(frame);
      },
      close: (reason, code) => {
        if (!isOpen()) return;
        left();
        sink.close(reason, code);
      },
    };
    this.sinks.set(name, sink);
    guard(() => checker.came(name));
    const session = this.sessions.open(outer, bearer, name);
    return {
      get workerId() {
        return session.workerId;
      },
      get hasWorked() {
        return session.hasWorked;
      },
      receive: (messages) => {
        read(() => {
          if (!isOpen()) return;
          guard(() => checker.received(name, messages));
          session.receive(messages);
          guard(() => checker.settled(name));
        });
      },
      closed: () => {
        read(() => {
          if (!isOpen()) return;
          left();
          session.closed();
        });
      },
    };
  }

  /** The process has died: its system closes what was open. */
  died(): void {
    for (const sink of this.sinks.values()) sink.close();
    this.sinks.clear();
  }
}
