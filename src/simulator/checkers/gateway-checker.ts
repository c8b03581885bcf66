// Checks what a host that does not lead does with the connections of devices, from both of its sides. While a trunk
// carries a connection, everything that is said on it is passed on, once and in order. Of one that outlives a trunk, what
// the device says counts again from the hello that answers the greeting; nothing that was meant for the trunk before is
// sent. What a device has received is told of whole dispatches only. Nobody waits for a trunk without end.

import { parseTaskId } from '../../core/task-key.ts';
import type { BareAssignMessage } from '../../protocol/bare-assign.ts';
import type { AttemptRef, CoordinatorMessage, WorkerMessage } from '../../protocol/messages.ts';
import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { findFolder } from './disk-view.ts';

export interface GatewayCheckerOptions {
  readonly name: string;
  readonly now: () => number;
  readonly disk: MemoryDisk;
  readonly count: (what: 'greeted' | 'carried_on' | 'carried') => void;
}

interface Watched {
  /** Under which the present trunk carries it. */
  n: number | null;
  wasCarried: boolean;
  /** The leader has ended it. */
  isEnded: boolean;
  /** The newest that was sent; what is passed on to the next trunk begins with the hello that answers it. */
  greeting: number | null;
  mustAnswer: boolean;
  /** What was said since, and was not passed on. */
  said: WorkerMessage[];
  /** Of the present trunk, as far as it is not known that the device has them. */
  dispatches: { readonly sequence: number; readonly attempts: readonly string[] }[];
  /** Names of all attempts that were dispatched on the present trunk. */
  readonly given: Set<string>;
  /** In which frame an attempt was sent. */
  readonly frames: Map<string, number>;
  readonly unreadable: Set<string>;
  /** Since when it waits for a trunk, or for its hello. */
  waitsSince: number | null;
}

/** For a trunk, and then for the hello; with what a slow machine needs. */
const mostWaitMs = 5_000 + 2_000 + 500;

export class GatewayChecker {
  private readonly options: GatewayCheckerOptions;
  private readonly connections = new Map<string, Watched>();
  private readonly byNumber = new Map<number, Watched>();
  /** No number is used again, on another trunk neither. */
  private newest = 0;
  /** A value that it has read was damaged. */
  private hasMetDamage = false;

  constructor(options: GatewayCheckerOptions) {
    this.options = options;
  }

  came(name: string): void {
    this.connections.set(name, {
      n: null,
      wasCarried: false,
      isEnded: false,
      greeting: null,
      mustAnswer: false,
      said: [],
      dispatches: [],
      given: new Set(),
      frames: new Map(),
      unreadable: new Set(),
      waitsSince: null,
    });
  }

  /** The device has closed it, or it was closed here. */
  left(name: string): void {
    this.connections.delete(name);
  }

  received(name: string, messages: readonly WorkerMessage[]): void {
    this.connections.get(name)?.said.push(...messages);
  }

  /** What was received last has been dealt with. */
  settled(name: string): void {
    const watched = this.connections.get(name);
    if (watched === undefined) return;
    const { n, said, isEnded } = watched;
    watched.said = [];
    const [first] = said;
    if (n === null || isEnded || first === undefined) return;
    throw this.broken(`does not pass on a ${first.type} of ${name}, which its trunk carries`);
  }

  /** A frame leaves for the device. */
  sent(name: string, messages: readonly CoordinatorMessage[]): void {
    const watched = this.connections.get(name);
    if (watched === undefined) return;
    for (const message of messages) {
      if (message.type === 'greet') {
        watched.greeting = message.id;
        this.options.count('greeted');
      } else if (watched.n === null) {
        throw this.broken(`sends a ${message.type} on ${name}, which no trunk carries`);
      } else if (message.type === 'assign') {
        this.assigned(watched, message);
      }
    }
  }

  trunkOpened(): void {
    for (const watched of this.connections.values()) {
      if (watched.n !== null) throw this.broken('has a second trunk beside the one that carries');
    }
  }

  trunkLost(): void {
    this.byNumber.clear();
    for (const watched of this.connections.values()) {
      watched.n = null;
      watched.said = [];
      watched.waitsSince = this.options.now();
    }
  }

  opened(n: number, name: string): void {
    const watched = this.connections.get(name);
    if (watched === undefined) throw this.broken(`opens ${n} for ${name}, which is gone`);
    if (n <= this.newest) throw this.broken(`opens ${n} once more`);
    this.newest = n;
    this.byNumber.set(n, watched);
    this.options.count(watched.wasCarried ? 'carried_on' : 'carried');
    watched.n = n;
    watched.mustAnswer = watched.wasCarried;
    watched.wasCarried = true;
    watched.waitsSince = null;
    watched.dispatches = [];
    watched.given.clear();
    watched.frames.clear();
    watched.unreadable.clear();
  }

  passed(n: number, messages: readonly WorkerMessage[]): void {
    const watched = this.byNumber.get(n);
    if (watched === undefined)
      throw this.broken(`passes on what is said under ${n}, which is over`);
    if (watched.mustAnswer) this.skipToAnswer(watched);
    for (const message of messages) {
      const said = watched.said.shift();
      const isSame = said === message || (said?.type === 'heartbeat' && isBeat(said, message));
      if (!isSame) {
        throw this.broken(`passes on a ${message.type}, next was a ${said?.type ?? 'nothing'}`);
      }
      if (message.type === 'heartbeat' && said.type === 'heartbeat') {
        this.tellsReceived(watched, message.assign_sequence, said.assign_sequence);
      }
    }
  }

  gone(n: number): void {
    const watched = this.byNumber.get(n);
    if (watched === undefined) throw this.broken(`says that ${n} is gone, which is over`);
    this.byNumber.delete(n);
    watched.isEnded = true;
  }

  /** A value that is read here is damaged, and would be elsewhere. */
  damaged(): void {
    this.hasMetDamage = true;
  }

  unreadable(
    n: number,
    { task_id: id, token }: Pick<AttemptRef, 'task_id' | 'token'>,
    problem: string,
  ): void {
    // Its job was removed meanwhile.
    const isGone = findFolder(this.options.disk, parseTaskId(id)?.jobId ?? '') === undefined;
    if (problem.endsWith('is not there.') && !isGone) {
      throw this.broken(`does not find what ${id} needs, and its job is there`);
    }
    if (!isGone && !this.hasMetDamage) {
      throw this.broken(`takes what ${id} needs for damaged, which only cannot be read here`);
    }
    this.byNumber.get(n)?.unreadable.add(nameOf(id, token));
  }

  out(n: number, messages: readonly (CoordinatorMessage | BareAssignMessage)[]): void {
    const watched = this.byNumber.get(n);
    if (watched === undefined) return;
    for (const message of messages) {
      if (message.type !== 'bare_assign') continue;
      const attempts = message.assignments.map(({ task_id, token }) => nameOf(task_id, token));
      watched.dispatches.push({ sequence: message.sequence, attempts });
      for (const attempt of attempts) watched.given.add(attempt);
    }
  }

  /** The leader ends it. */
  ended(n: number): void {
    const watched = this.byNumber.get(n);
    this.byNumber.delete(n);
    if (watched !== undefined) watched.isEnded = true;
  }

  /** The process stood still until now. */
  excuse(): void {
    for (const watched of this.connections.values()) {
      if (watched.waitsSince !== null) watched.waitsSince = this.options.now();
    }
  }

  /** Whenever time has passed. */
  look(): void {
    for (const [name, { waitsSince, isEnded }] of this.connections) {
      if (isEnded) throw this.broken(`keeps ${name} open, which is over`);
      if (waitsSince === null) continue;
      const ms = this.options.now() - waitsSince;
      if (ms <= mostWaitMs) continue;
      throw this.broken(`keeps ${name} open, which has waited for ${(ms / 1000).toFixed(1)} s`);
    }
  }

  private assigned(
    { given, frames }: Watched,
    message: Extract<CoordinatorMessage, { readonly type: 'assign' }>,
  ): void {
    for (const { task_id: id, token } of message.assignments) {
      const name = nameOf(id, token);
      if (!given.has(name)) throw this.broken(`sends ${name}, which is of a trunk before`);
      if (frames.has(name)) throw this.broken(`sends ${name} twice`);
      frames.set(name, message.sequence);
    }
  }

  /** What the device has received by this frame is all of these dispatches. */
  private tellsReceived(watched: Watched, dispatch: number, frame: number): void {
    const { frames, unreadable } = watched;
    const has = (name: string) => (frames.get(name) ?? Infinity) <= frame;
    const whole = watched.dispatches.findLast(
      ({ attempts }) => attempts.length > 0 && attempts.every(has),
    );
    if (whole !== undefined && dispatch < whole.sequence) {
      throw this.broken(`says that dispatch ${whole.sequence} was not received, which was`);
    }
    watched.dispatches = watched.dispatches.filter(({ sequence, attempts }) => {
      if (sequence > dispatch) return true;
      for (const name of attempts) {
        if (has(name) || unreadable.has(name)) continue;
        throw this.broken(`says that ${name} was received, which was not`);
      }
      return false;
    });
  }

  private skipToAnswer(watched: Watched): void {
    const { said, greeting } = watched;
    const at = said.findIndex(
      (message) =>
        message.type === 'hello' && message.greeting !== undefined && message.greeting === greeting,
    );
    if (at < 0) throw this.broken(`passes on what answers no greeting (the newest is ${greeting})`);
    watched.said = said.slice(at);
    watched.mustAnswer = false;
  }

  private broken(what: string): BrokenPromise {
    return new BrokenPromise(`${this.options.name} ${what}.`);
  }
}

function isBeat(said: WorkerMessage, message: WorkerMessage): boolean {
  const isBoth = said.type === 'heartbeat' && message.type === 'heartbeat';
  return isBoth && said.heartbeat_id === message.heartbeat_id;
}

function nameOf(taskId: string, token: string): string {
  return `${taskId} (${token})`;
}
