// Frames of the trunk of another member, in the order in which they come: what workers say who are there. That member has
// looked at their sockets, frames and limits; what it says is checked as what a worker says. What becomes of it is for
// `CarriedSessions`.

import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import {
  CarriedSessions,
  type ReadMessages,
  type Visitor,
  type Whose,
} from '../../cluster/carried-sessions.ts';
import { RecordWriter } from '../../cluster/record-writer.ts';
import { readToLeader, type ToLeader } from '../../cluster/trunk-records.ts';
import { askedBy } from '../../coordinator/port/asking.ts';
import type { Coordinator } from '../../coordinator/port/coordinator.ts';
import type { Bearer } from '../../coordinator/port/tokens.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Access } from '../access/access.ts';
import type { Audit } from '../access/audit.ts';
import { isOfStop } from '../error-answers.ts';
import { type Payloads, readJson } from '../json-reader.ts';
import { trunkRules } from '../reading-rules.ts';
import { Refusal } from '../refusal.ts';
import { createMessageReader, type MessageReader } from '../workers/worker-frame.ts';

export interface TrunkSessionsOptions {
  readonly coordinator: Coordinator;
  readonly access: Pick<Access, 'bearerOfSocket' | 'live'>;
  readonly audit: Pick<Audit, 'holderFor' | 'askerOfHello' | 'refusedHello'>;
  readonly limits: Limits;
  readonly log: Logger;
}

export class TrunkSessions {
  readonly #socket: WebSocket;
  readonly #options: TrunkSessionsOptions;
  readonly #readMessages: MessageReader;
  readonly #carried: CarriedSessions;
  readonly #frames: Buffer[] = [];
  #isReading = false;
  #isOver = false;

  constructor(socket: WebSocket, options: TrunkSessionsOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#readMessages = createMessageReader(options.limits);
    const { coordinator, audit, limits } = options;
    this.#carried = new CarriedSessions({
      writer: new RecordWriter(socket),
      whose: (token, address) => this.#whose(token, address),
      enter: (bearer, address, onRevoked) => this.#enter(bearer, address, onRevoked),
      turnedAway: (code, address) => audit.refusedHello(audit.holderFor(null, address), code),
      open: (sink, bearer) => coordinator.sessions.openElsewhere(sink, bearer),
      foundDamaged: (...state) => coordinator.sessions.foundDamaged(...state),
      mostWaitingBytes: limits.frameBytes,
      isOfTrunk: (fault) => {
        if (isOfStop(fault)) return true;
        options.log.error({ err: fault }, 'a worker of a trunk failed');
        return false;
      },
      cut: () => socket.terminate(),
    });
  }

  /** Frames are read one after the other. */
  get isListening(): boolean {
    return !this.#isReading;
  }

  /** How many workers it carries. */
  get size(): number {
    return this.#carried.size;
  }

  start(): void {
    this.#socket.on('message', (data, isBinary) => {
      if (isBinary) return this.#broken('a binary frame');
      this.#frames.push(data as Buffer);
      if (!this.#isReading) void this.#read();
    });
    this.#socket.once('close', () => {
      this.#isOver = true;
      this.#carried.end();
    });
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      for (let frame = this.#frames.shift(); frame !== undefined; frame = this.#frames.shift()) {
        const { coordinator, limits } = this.#options;
        let reading = readJson(frame, trunkRules(limits));
        if (reading instanceof Promise) {
          this.#socket.pause();
          reading = await reading;
        }
        if (this.#isOver) return;
        if (!reading.ok) return this.#broken(`a frame that is ${reading.problem}`);
        const records = readToLeader(reading.value);
        if (records === null) return this.#broken('a frame of no records');
        for (const record of records) this.#take(record, reading.payloads);
        // As from sockets here, nothing more is read while too much waits.
        if (!coordinator.isCrowded) continue;
        this.#socket.pause();
        await coordinator.eased();
      }
    } catch (error) {
      if (!isOfStop(error)) this.#options.log.error({ err: error }, 'a frame of a trunk failed');
      this.#socket.terminate();
    } finally {
      this.#isReading = false;
      this.#socket.resume();
    }
  }

  #take(record: ToLeader, payloads: Payloads): void {
    const read = (value: unknown): ReadMessages => this.#readMessages(value, payloads);
    const problem = this.#carried.take(record, read);
    if (problem !== null) this.#broken(problem);
  }

  async #whose(token: string | null, address: string | null): Promise<Whose> {
    try {
      const bearer = await this.#options.access.bearerOfSocket(token, address);
      return { is: 'good', bearer };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { is: 'refused', code: error.code, detail: error.message };
    }
  }

  #enter(bearer: Bearer | null, address: string | null, onRevoked: () => void): Visitor {
    const { access, audit } = this.#options;
    const holder = audit.holderFor(bearer, address);
    const left = access.live.hold(bearer, onRevoked);
    return {
      say: (hasHello, handOver) => {
        const asker = hasHello ? audit.askerOfHello(holder) : null;
        if (asker === null) handOver();
        else askedBy(asker, handOver);
      },
      // Its own token counts from then on.
      known: (workerId) => {
        if (bearer?.workerId !== workerId) left();
      },
      refused: (code) => audit.refusedHello(holder, code),
      left,
    };
  }

  /** Not a member of this version: what it means cannot be known. */
  #broken(what: string): void {
    this.#options.log.warn(`A member of the cluster has sent ${what} on its trunk, which is cut.`);
    this.#socket.terminate();
  }
}
