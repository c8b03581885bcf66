// A worker of a test, without a sandbox, over either transport. The cases in `transport.cases.ts` are the
// same for both.

import { WebSocket } from 'ws';
import type { Assignment, CoordinatorMessage } from '../../../src/protocol/messages.ts';
import { coordinatorMessageSchemas } from '../../../src/protocol/schemas/coordinator-messages.ts';
import { eventually, type LiveServer, type Loose } from './live-server.ts';

export interface TransportWorker {
  readonly id: string;
  /** Waits until `count` assignments have come in all, and returns them in order. */
  assigned(count: number): Promise<readonly Given[]>;
  /** How many have come until now, after asking once more. */
  assignedUntilNow(): Promise<number>;
  report(report: object): Promise<ReportAnswer>;
  heartbeat(telemetry: unknown, running: readonly object[]): Promise<HeartbeatAnswer>;
  /** What it was told to stop until now. */
  stopped(): readonly { readonly task_id: string; readonly attempt: number }[];
  /** Waits until the coordinator dismisses it, and returns how. */
  dismissed(): Promise<'for good' | 'register anew'>;
  /** The worker vanishes without a message. */
  end(): void;
}

/** An assignment as both transports show it. */
export interface Given extends Assignment {
  readonly program: { readonly kind: string; readonly source: string };
  readonly attempt_timeout_seconds: number | null;
}

export interface ReportAnswer {
  readonly accepted: readonly Loose[];
  readonly rejected: readonly Loose[];
}

export interface HeartbeatAnswer {
  readonly stop: readonly Loose[];
  readonly heartbeat_interval_seconds: number;
  readonly drain: boolean;
  readonly warnings: readonly string[];
}

export interface Transport {
  readonly name: string;
  connect(live: LiveServer, device: object): Promise<TransportWorker>;
}

export const transports: readonly Transport[] = [
  { name: 'WebSocket', connect: (live, device) => SocketWorker.connect(live, device) },
  { name: 'HTTP', connect: (live, device) => CallingWorker.connect(live, device) },
];

class SocketWorker implements TransportWorker {
  id = '';
  private readonly socket: WebSocket;
  private readonly heard: Loose[] = [];
  private readonly programs: Record<string, Loose> = {};
  private readonly given: Given[] = [];
  private assignSequence = 0;
  private heartbeats = 0;

  static async connect(live: LiveServer, device: object): Promise<SocketWorker> {
    const socket = new WebSocket(`${live.url.replace('http', 'ws')}/api/workers/connect`);
    const worker = new SocketWorker(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    worker.say({ type: 'hello', protocol: 1, device, attempts: [] });
    worker.id = (await worker.hears(({ type }) => type === 'welcome')).worker_id;
    return worker;
  }

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data) => {
      for (const message of [JSON.parse((data as Buffer).toString())].flat()) this.hear(message);
    });
  }

  async assigned(count: number): Promise<readonly Given[]> {
    return eventually(
      async () => this.given,
      (given) => given.length >= count,
    );
  }

  async assignedUntilNow(): Promise<number> {
    await this.heartbeat({}, []);
    return this.given.length;
  }

  async report(report: object): Promise<ReportAnswer> {
    const kinds = { checkpoints: 'checkpoint', results: 'result', failures: 'failure' };
    const messages = Object.entries(report).map(([name, entries]) => ({
      type: { ...kinds, refusals: 'refusal' }[name] ?? name,
      [name]: entries,
    }));
    const from = this.heard.length;
    // In one frame: the answer to the heartbeat says that all of it has been dealt with.
    await this.beat({}, [], messages);
    const answers = this.heard.slice(from);
    return {
      accepted: answers.flatMap(({ type, accepted }) => (type === 'ack' ? accepted : [])),
      rejected: answers.flatMap(({ type, rejected }) => (type === 'reject' ? rejected : [])),
    };
  }

  heartbeat(telemetry: unknown, running: readonly object[]): Promise<HeartbeatAnswer> {
    return this.beat(telemetry, running, []);
  }

  stopped() {
    return this.heard.flatMap((message) => {
      if (message.type === 'cancel' || message.type === 'revoke') return message.attempts;
      return message.heartbeat?.stop ?? [];
    });
  }

  async dismissed() {
    const { register_after_seconds: pause } = await this.hears(
      ({ type }) => type === 'deregistered',
    );
    return pause === undefined ? 'for good' : 'register anew';
  }

  end(): void {
    this.socket.terminate();
  }

  private async beat(
    telemetry: unknown,
    running: readonly object[],
    before: readonly object[],
  ): Promise<HeartbeatAnswer> {
    const heartbeat_id = ++this.heartbeats;
    const assign_sequence = this.assignSequence;
    this.say(...before, { type: 'heartbeat', heartbeat_id, telemetry, assign_sequence, running });
    const ack = await this.hears(({ heartbeat }) => heartbeat?.heartbeat_id === heartbeat_id);
    // What was rejected comes in the same frame, behind the acknowledgement.
    await new Promise(setImmediate);
    return ack.heartbeat;
  }

  private hear(message: Loose): void {
    coordinatorMessageSchemas[message.type as CoordinatorMessage['type']].parse(message);
    this.heard.push(message);
    const { type, sequence, programs, assignments } = message;
    if (type !== 'assign') return;
    this.assignSequence = sequence;
    Object.assign(this.programs, programs);
    for (const assignment of assignments) {
      this.given.push({ ...this.programs[assignment.job_id], ...assignment });
    }
  }

  private hears(isIt: (message: Loose) => boolean): Promise<Loose> {
    return eventually(
      async () => this.heard.find(isIt),
      (message) => message !== undefined,
    );
  }

  private say(...messages: readonly object[]): void {
    this.socket.send(JSON.stringify(messages));
  }
}

class CallingWorker implements TransportWorker {
  readonly id: string;
  private readonly live: LiveServer;
  private readonly headers: Record<string, string>;
  private readonly given: Given[] = [];
  private readonly stops: Loose[] = [];

  static async connect(live: LiveServer, device: object): Promise<CallingWorker> {
    const { status, body } = await live.call('POST', '/api/workers', { json: device });
    if (status !== 201) throw new Error(`not registered: ${body.detail}`);
    return new CallingWorker(live, body.worker_id, body.worker_token);
  }

  private constructor(live: LiveServer, id: string, token: string) {
    this.live = live;
    this.id = id;
    this.headers = { authorization: `Bearer ${token}` };
  }

  assigned(count: number): Promise<readonly Given[]> {
    return eventually(
      async () => {
        if (this.given.length < count) await this.claim(1);
        return this.given;
      },
      (given) => given.length >= count,
    );
  }

  async assignedUntilNow(): Promise<number> {
    await this.claim(0);
    return this.given.length;
  }

  async report(report: object): Promise<ReportAnswer> {
    return (await this.call('report', report)).body;
  }

  async heartbeat(telemetry: unknown, running: readonly object[]): Promise<HeartbeatAnswer> {
    const { body } = await this.call('heartbeat', { telemetry, running });
    this.stops.push(...body.stop);
    return body;
  }

  stopped() {
    return this.stops;
  }

  async dismissed() {
    const { status, body } = await this.call('heartbeat', { telemetry: {} });
    if (status === 403 && body.code === 'deregistered') return 'for good';
    if (status === 404 && body.code === 'unknown_worker') return 'register anew';
    throw new Error(`not dismissed: ${status} ${body.code}`);
  }

  end(): void {}

  private async claim(wait_seconds: number): Promise<void> {
    const { body } = await this.call('claim', { wait_seconds });
    this.given.push(...(body.assignments ?? []));
  }

  private call(name: string, json: object) {
    const { headers } = this;
    return this.live.call('POST', `/api/workers/${this.id}/${name}`, { json, headers });
  }
}
