// Sessions of workers that are at another member, as the trunk of that member carries them to the one that decides: each
// connection has a number there. Whose token is good is asked here once more, since only here it is known at once when
// one is taken back.

import type { Bearer } from '../coordinator/port/tokens.ts';
import type { SessionElsewhere, SessionSink } from '../coordinator/port/workers.ts';
import { encodeFrame } from '../protocol/codec.ts';
import { type ErrorCode, isErrorCode } from '../protocol/error-codes.ts';
import type { CoordinatorMessage, WorkerMessage } from '../protocol/messages.ts';
import { closeCode } from '../protocol/socket-closing.ts';
import type { RecordWriter } from './record-writer.ts';
import { outRecord, recordOf, type ToLeader } from './trunk-records.ts';

/** A member that does not read is cut off; its workers come back when it does, or elsewhere. */
const mostUnreadBytes = 64 * 1024 * 1024;

/** A frame of a worker, as far as it could be taken. */
export interface ReadMessages {
  readonly messages: readonly WorkerMessage[];
  readonly answers: readonly CoordinatorMessage[];
  /** The connection must end; the last answer says why. */
  readonly isFatal: boolean;
}

/** Somebody whose token is good. */
export interface Visitor {
  /** Hands messages over; those with a hello may register a worker, by somebody's will. */
  say(hasHello: boolean, handOver: () => void): void;
  /** The worker is known by now. */
  known(workerId: string): void;
  /** Refused before anything was decided. */
  refused(code: ErrorCode): void;
  /** The connection is gone. */
  left(): void;
}

export type Whose =
  | { readonly is: 'good'; readonly bearer: Bearer | null }
  | { readonly is: 'refused'; readonly code: ErrorCode; readonly detail: string };

export interface CarriedSessionsOptions {
  readonly writer: RecordWriter;
  readonly whose: (token: string | null, address: string | null) => Promise<Whose>;
  /** `onRevoked` is called when the token is good no more. */
  readonly enter: (bearer: Bearer | null, address: string | null, onRevoked: () => void) => Visitor;
  readonly turnedAway: (code: ErrorCode, address: string | null) => void;
  readonly open: (sink: SessionSink, bearer: Bearer | null) => SessionElsewhere;
  readonly foundDamaged: (taskId: string, checkpointId: number) => void;
  /** So much may come before it is known whose token it is. */
  readonly mostWaitingBytes: number;
  /** Told what failed for one connection. True when the trunk must end; else this connection does. */
  readonly isOfTrunk: (fault: unknown) => boolean;
  /** The trunk must end. */
  readonly cut: () => void;
}

interface Carried {
  /** Null while it is found out whose token it is. */
  session: SessionElsewhere | null;
  visitor: Visitor | null;
  /** What has come meanwhile. */
  readonly waiting: Passed[];
  waitingBytes: number;
}

interface Passed {
  readonly messages: readonly WorkerMessage[];
  readonly bytes: number;
}

export class CarriedSessions {
  readonly #options: CarriedSessionsOptions;
  readonly #carried = new Map<number, Carried>();

  constructor(options: CarriedSessionsOptions) {
    this.#options = options;
  }

  /** How many workers are carried. */
  get size(): number {
    return this.#carried.size;
  }

  /** Returns what is wrong with it, for people; null when nothing is. */
  take(record: ToLeader, read: (value: unknown) => ReadMessages): string | null {
    if (record[0] === 'damaged') {
      this.#options.foundDamaged(record[1], record[2]);
      return null;
    }
    const n = record[1];
    if (record[0] === 'open') return this.#open(n, record[2], record[3]);
    const carried = this.#carried.get(n);
    // It was ended here meanwhile.
    if (carried === undefined) return null;
    if (record[0] === 'gone') this.#drop(n, carried)?.closed();
    else if (record[0] === 'unreadable') {
      carried.session?.unreadable({ task_id: record[2], token: record[3] }, record[4]);
    } else {
      this.#receive(n, carried, read(record[3]), record[2]);
    }
    return null;
  }

  /** The trunk is gone. Workers know nothing of it before their member tells them, or their own patience ends. */
  end(): void {
    this.#options.writer.end();
    for (const [n, carried] of this.#carried) this.#drop(n, carried)?.closed(true);
  }

  #open(n: number, token: string | null, address: string | null): string | null {
    if (this.#carried.has(n)) return 'a number that is used already';
    const carried: Carried = { session: null, visitor: null, waiting: [], waitingBytes: 0 };
    this.#carried.set(n, carried);
    const { whose, turnedAway } = this.#options;
    whose(token, address)
      .then((said) => {
        if (this.#carried.get(n) !== carried) return;
        if (said.is === 'good') return this.#enter(n, carried, said.bearer, address);
        turnedAway(said.code, address);
        this.#refuse(n, said.detail);
      })
      .catch((fault: unknown) => this.#failed(n, fault));
    return null;
  }

  /** What cannot be read of one worker is no reason to end the connections of all others. */
  #failed(n: number, fault: unknown): void {
    const { isOfTrunk, cut } = this.#options;
    if (isOfTrunk(fault)) cut();
    else this.#close(n, 'it could not be found out whose token this is', closeCode.failed);
  }

  #enter(n: number, carried: Carried, bearer: Bearer | null, address: string | null): void {
    const { enter, open } = this.#options;
    const visitor = enter(bearer, address, () =>
      this.#refuse(n, 'The token of this connection is good no more.'),
    );
    carried.visitor = visitor;
    const sink: SessionSink = {
      send: (frame) => this.#send(n, carried, frame),
      close: (reason, code) => {
        if (carried.session?.workerId === null && isErrorCode(reason)) visitor.refused(reason);
        this.#tellEnd(n, reason, code);
      },
    };
    carried.session = open(sink, bearer);
    for (const passed of carried.waiting.splice(0)) this.#handOver(carried, passed);
  }

  #receive(
    n: number,
    carried: Carried,
    { messages, answers, isFatal }: ReadMessages,
    bytes: number,
  ): void {
    if (answers.length > 0) this.#send(n, carried, encodeFrame(answers));
    if (isFatal) return this.#close(n, 'invalid frame', closeCode.policy);
    if (messages.length === 0) return;
    if (carried.session !== null) return this.#handOver(carried, { messages, bytes });
    carried.waiting.push({ messages, bytes });
    carried.waitingBytes += bytes;
    if (carried.waitingBytes > this.#options.mostWaitingBytes) {
      this.#close(n, 'too much before an answer', closeCode.policy);
    }
  }

  #handOver({ session, visitor }: Carried, { messages, bytes }: Passed): void {
    visitor!.say(messages[0]!.type === 'hello', () => session!.receive(messages, bytes));
  }

  #send(n: number, { session, visitor }: Carried, frame: string): void {
    const { writer, cut } = this.#options;
    const workerId = session?.workerId ?? null;
    if (workerId !== null) visitor?.known(workerId);
    writer.write(outRecord(n, frame));
    if (writer.unread > mostUnreadBytes) cut();
  }

  #refuse(n: number, detail: string): void {
    const code = 'validation_failed';
    const message: CoordinatorMessage = { type: 'error', code, detail, fatal: true };
    this.#options.writer.write(outRecord(n, encodeFrame([message])));
    this.#close(n, detail, closeCode.policy);
  }

  #close(n: number, reason: string, code: number): void {
    this.#tellEnd(n, reason, code)?.closed();
  }

  #tellEnd(n: number, reason: string, code = 0): SessionElsewhere | null {
    const carried = this.#carried.get(n);
    if (carried === undefined) return null;
    this.#options.writer.write(recordOf(['end', n, reason, code]));
    return this.#drop(n, carried);
  }

  #drop(n: number, carried: Carried): SessionElsewhere | null {
    this.#carried.delete(n);
    carried.visitor?.left();
    return carried.session;
  }
}
