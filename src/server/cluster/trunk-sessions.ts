// Sessions of workers that are at another member, carried by the trunk of that member. It has looked at their sockets,
// frames and limits; whose token is good is asked here once more, since only here it is known at once when one is taken
// back. What it says is checked as what a worker says.

import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { RecordWriter } from '../../cluster/record-writer.ts';
import { outRecord, readToLeader, recordOf, type ToLeader } from '../../cluster/trunk-records.ts';
import { askedBy } from '../../coordinator/port/asking.ts';
import type { Coordinator } from '../../coordinator/port/coordinator.ts';
import type { SessionElsewhere } from '../../coordinator/port/workers.ts';
import { encodeFrame } from '../../protocol/codec.ts';
import { isErrorCode } from '../../protocol/error-codes.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { CoordinatorMessage, WorkerMessage } from '../../protocol/messages.ts';
import type { Access } from '../access/access.ts';
import type { Audit, Holder } from '../access/audit.ts';
import { isOfStop } from '../error-answers.ts';
import { type Payloads, readJson } from '../json-reader.ts';
import { trunkRules } from '../reading-rules.ts';
import { Refusal } from '../refusal.ts';
import { closeCode } from '../workers/close-frame.ts';
import { createMessageReader, type MessageReader } from '../workers/worker-frame.ts';

/** A member that does not read is cut off; its workers come back when it does, or elsewhere. */
const mostUnreadBytes = 64 * 1024 * 1024;

export interface TrunkSessionsOptions {
  readonly coordinator: Coordinator;
  readonly access: Pick<Access, 'bearerOfSocket' | 'live'>;
  readonly audit: Pick<Audit, 'holderFor' | 'askerOfHello' | 'refusedHello'>;
  readonly limits: Limits;
  readonly log: Logger;
}

interface Carried {
  /** Null while it is found out whose token it is. */
  session: SessionElsewhere | null;
  holder: Holder | null;
  /** What has come meanwhile. */
  readonly waiting: Passed[];
  waitingBytes: number;
  /** Its own token counts from when the worker is known. */
  release: () => void;
}

interface Passed {
  readonly messages: readonly WorkerMessage[];
  readonly bytes: number;
}

export class TrunkSessions {
  readonly #socket: WebSocket;
  readonly #options: TrunkSessionsOptions;
  readonly #readMessages: MessageReader;
  readonly #writer: RecordWriter;
  readonly #carried = new Map<number, Carried>();
  readonly #frames: Buffer[] = [];
  #isReading = false;
  #isOver = false;

  constructor(socket: WebSocket, options: TrunkSessionsOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#readMessages = createMessageReader(options.limits);
    this.#writer = new RecordWriter(socket);
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
    this.#socket.once('close', () => this.#end());
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
    if (record[0] === 'damaged') {
      this.#options.coordinator.sessions.foundDamaged(record[1], record[2]);
      return;
    }
    const n = record[1];
    if (record[0] === 'open') return this.#open(n, record[2], record[3]);
    const carried = this.#carried.get(n);
    // It was ended here meanwhile.
    if (carried === undefined) return;
    if (record[0] === 'gone') this.#drop(n, carried)?.closed();
    else if (record[0] === 'unreadable') {
      carried.session?.unreadable({ task_id: record[2], token: record[3] }, record[4]);
    } else {
      this.#receive(n, carried, record[3], { bytes: record[2], payloads });
    }
  }

  #open(n: number, token: string | null, address: string | null): void {
    if (this.#carried.has(n)) return this.#broken('a number that is used already');
    const carried: Carried = {
      session: null,
      holder: null,
      waiting: [],
      waitingBytes: 0,
      release: () => undefined,
    };
    this.#carried.set(n, carried);
    const { access, audit, coordinator } = this.#options;
    access
      .bearerOfSocket(token, address)
      .then(
        (bearer) => {
          if (this.#carried.get(n) !== carried) return;
          const holder = audit.holderFor(bearer, address);
          carried.holder = holder;
          carried.release = access.live.hold(bearer, () =>
            this.#refuse(n, 'The token of this connection is good no more.'),
          );
          const sink = {
            send: (frame: string) => this.#send(n, carried, frame),
            close: (reason: string, code?: number) => {
              if (carried.session?.workerId === null && isErrorCode(reason)) {
                audit.refusedHello(holder, reason);
              }
              this.#tellEnd(n, reason, code);
            },
          };
          carried.session = coordinator.sessions.openElsewhere(sink, bearer);
          this.#handOver(carried, carried.waiting.splice(0));
        },
        (error: unknown) => this.#refused(n, address, error),
      )
      .catch((error: unknown) => {
        if (!isOfStop(error)) this.#options.log.error({ err: error }, 'a worker of a trunk failed');
        this.#socket.terminate();
      });
  }

  #refused(n: number, address: string | null, error: unknown): void {
    if (!(error instanceof Refusal)) throw error;
    if (!this.#carried.has(n)) return;
    const { audit } = this.#options;
    audit.refusedHello(audit.holderFor(null, address), error.code);
    this.#refuse(n, error.message);
  }

  #receive(
    n: number,
    carried: Carried,
    value: unknown,
    { bytes, payloads }: { readonly bytes: number; readonly payloads: Payloads },
  ): void {
    const { messages, answers, isFatal } = this.#readMessages(value, payloads);
    if (answers.length > 0) this.#send(n, carried, encodeFrame(answers));
    if (isFatal) return this.#close(n, 'invalid frame', closeCode.policy);
    if (messages.length === 0) return;
    if (carried.session !== null) return this.#handOver(carried, [{ messages, bytes }]);
    carried.waiting.push({ messages, bytes });
    carried.waitingBytes += bytes;
    if (carried.waitingBytes > this.#options.limits.frameBytes) {
      this.#close(n, 'too much before an answer', closeCode.policy);
    }
  }

  /** The first message of all may register a worker: that is by somebody's will. */
  #handOver({ session, holder }: Carried, passed: readonly Passed[]): void {
    for (const { messages, bytes } of passed) {
      const isHello = messages[0]!.type === 'hello';
      const asker = isHello ? this.#options.audit.askerOfHello(holder!) : null;
      if (asker === null) session!.receive(messages, bytes);
      else askedBy(asker, () => session!.receive(messages, bytes));
    }
  }

  #send(n: number, carried: Carried, frame: string): void {
    const workerId = carried.session?.workerId ?? null;
    if (workerId !== null && carried.holder?.bearer?.workerId !== workerId) carried.release();
    this.#writer.write(outRecord(n, frame));
    if (this.#writer.unread > mostUnreadBytes) this.#socket.terminate();
  }

  #refuse(n: number, detail: string): void {
    const code = 'validation_failed';
    const message: CoordinatorMessage = { type: 'error', code, detail, fatal: true };
    this.#writer.write(outRecord(n, encodeFrame([message])));
    this.#close(n, detail, closeCode.policy);
  }

  #close(n: number, reason: string, code: number): void {
    const session = this.#tellEnd(n, reason, code);
    session?.closed();
  }

  #tellEnd(n: number, reason: string, code = 0): SessionElsewhere | null {
    const carried = this.#carried.get(n);
    if (carried === undefined) return null;
    this.#writer.write(recordOf(['end', n, reason, code]));
    return this.#drop(n, carried);
  }

  #drop(n: number, carried: Carried): SessionElsewhere | null {
    this.#carried.delete(n);
    carried.release();
    return carried.session;
  }

  /** Not a member of this version: what it means cannot be known. */
  #broken(what: string): void {
    this.#options.log.warn(`A member of the cluster has sent ${what} on its trunk, which is cut.`);
    this.#socket.terminate();
  }

  /** Workers know nothing of it before that member tells them, or their own patience ends. */
  #end(): void {
    this.#isOver = true;
    this.#writer.end();
    for (const [n, carried] of this.#carried) this.#drop(n, carried)?.closed(true);
  }
}
