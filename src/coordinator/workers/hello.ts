// The first message on a connection: a new worker registers, a known one comes back with what it
// still holds. Its identity is an id and a token, of which only the hash is stored.

import type { WorkerDescription } from '../../core/commands.ts';
import { heartbeatMsOf, leaseOf } from '../../core/lease.ts';
import type { State } from '../../core/state.ts';
import { isLeavingSaid } from '../../protocol/leaving.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { DeviceDescription, HelloMessage, WelcomeMessage } from '../../protocol/messages.ts';
import { protocolVersion } from '../../protocol/messages.ts';
import { defaultProgramKind } from '../../protocol/program.ts';
import { restSaid } from '../../protocol/resting.ts';
import { helloWarnings } from './hello-warnings.ts';
import { identify, whyNot } from './identity.ts';
import { namedAttempt, stopOrders } from './named-attempts.ts';
import type { Tokens } from '../access/tokens.ts';
import type { Rejection } from '../port/rejection.ts';
import { registerWorker, type RegistrationOptions } from './registration.ts';
import type { Runtime } from '../runtime.ts';
import type { Session, Sessions, WorkerLife } from './sessions.ts';
import { readTelemetry } from './telemetry.ts';
import type { Batch } from '../writer/batch.ts';

export interface GreetingOptions extends RegistrationOptions {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
  readonly limits: Limits;
  readonly state: State;
  readonly tokens: Pick<Tokens, 'admit' | 'areNeeded'>;
  /** What the operator calls this coordinator. */
  readonly coordinatorName?: string;
  /** Where others of its cluster are reached, best first. */
  readonly otherCoordinators?: () => readonly string[];
}

export function greet(
  options: GreetingOptions,
  batch: Batch,
  session: Session,
  message: HelloMessage,
): void {
  const { worker_id: givenId, worker_token: givenToken } = message;
  if (givenId === undefined || givenToken === undefined) {
    return register(options, batch, session, message);
  }
  const { is } = identify(options, batch, givenId, givenToken);
  const { bearer } = session;
  const isItsOwn = bearer === null || bearer.text === givenToken;
  if (is === 'known') {
    // On a connection that outlives a change of leader the worker may have become who it is since it was opened.
    if (!isItsOwn && message.greeting === undefined) return refuseHello(batch, session, notItsOwn);
    // It was overtaken on its way, and knows nothing of what the worker was given since.
    if (options.sessions.isOvertaken(session, givenId, lifeOf(message))) {
      return batch.afterCommit(() => session.end('the worker has come on a newer connection'));
    }
    return connect(options, batch, session, message, { workerId: givenId });
  }
  if (is === 'not_yours') return refuseHello(batch, session, whyNot(is, givenId));
  // It was cleared away, and its token is good: nobody has to let it in a second time.
  if (is === 'unknown' && bearer !== null && isItsOwn) {
    return register(options, batch, session, message);
  }
  sendAway(batch, session, givenId, is);
}

function register(
  options: GreetingOptions,
  batch: Batch,
  session: Session,
  message: HelloMessage,
): void {
  const registered = registerWorker(options, batch, {
    description: describe(message.device),
    telemetry: readTelemetry(message.telemetry),
    bearer: session.bearer,
  });
  if ('code' in registered) return refuseHello(batch, session, registered);
  const { workerId, token } = registered;
  connect(options, batch, session, message, { workerId, token });
}

function connect(
  options: GreetingOptions,
  batch: Batch,
  session: Session,
  message: HelloMessage,
  identity: { readonly workerId: string; readonly token?: string },
): void {
  const { workerId, token } = identity;
  const { workerId: earlier } = session;
  if (earlier !== null && earlier !== workerId && options.sessions.unbind(session)) {
    // The connection spoke for another worker until now, which is no longer reached here.
    const connectionId = session.id;
    batch.execute({ type: 'disconnect_worker', workerId: earlier, connectionId, at: batch.at });
  }
  const telemetry = message.telemetry === undefined ? null : readTelemetry(message.telemetry);
  const executed = batch.execute({
    type: 'connect_worker',
    workerId,
    connectionId: session.id,
    description: fixed(describe(message.device), session),
    measured: telemetry?.measured ?? null,
    telemetryJson: telemetry?.json ?? null,
    leaving: isLeavingSaid(message),
    rest: restSaid(message),
    held: message.attempts.flatMap((held) => {
      const named = namedAttempt(held);
      return named === undefined
        ? []
        : [{ ...named, state: held.state, runMs: held.run_ms ?? null }];
    }),
    at: batch.at,
  });
  // From here on the dispatcher finds the session; the welcome is posted before any assignment.
  options.sessions.bind(session, workerId, lifeOf(message));
  session.isWelcome = false;
  const isNew = message.worker_id === undefined;
  const { programs } = message;
  // Elsewhere they are remembered where they are sent.
  if (programs !== undefined && !session.isElsewhere) session.remember(programs, isNew);
  const { coordinatorName, state } = options;
  const worker = state.workers.get(workerId)!;
  const warnings = helloWarnings(message, telemetry?.warnings ?? []);
  const coordinators = options.otherCoordinators?.() ?? [];
  const welcome: WelcomeMessage = {
    type: 'welcome',
    protocol: protocolVersion,
    worker_id: workerId,
    ...(token === undefined ? {} : { worker_token: token }),
    heartbeat_interval_seconds: heartbeatMsOf(state) / 1000,
    lease_seconds: leaseOf(state, worker) / 1000,
    drain: worker.draining !== null,
    ...(worker.waitsUntil === null ? {} : { waiting_for_approval: true }),
    ...(coordinatorName === undefined ? {} : { coordinator_name: coordinatorName }),
    ...(coordinators.length === 0 ? {} : { coordinators }),
    stop: stopOrders(executed),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  batch.afterCommit(() => {
    session.post(welcome);
    session.isWelcome = true;
    options.sessions.touch(session);
  });
}

/** Null: it does not say which start of it this is. */
function lifeOf({ instance, connection }: HelloMessage): WorkerLife | null {
  if (instance === undefined || connection === undefined) return null;
  return { instance, connection };
}

/** A worker cannot change the labels that its token gives it. */
function fixed(description: WorkerDescription, { bearer }: Session): WorkerDescription {
  if (bearer === null) return description;
  return { ...description, labels: { ...description.labels, ...bearer.labels } };
}

const notItsOwn: Rejection = {
  code: 'forbidden',
  detail:
    'A worker that is registered opens its socket with its own token, in the header Authorization.',
};

/** The id is not registered. Unless the worker was removed, it may register anew at once. */
function sendAway(
  batch: Batch,
  session: Session,
  workerId: string,
  is: 'removed' | 'unknown',
): void {
  const { detail } = whyNot(is, workerId);
  const mayRegister = is === 'unknown';
  batch.afterCommit(() => {
    session.post({
      type: 'deregistered',
      detail,
      ...(mayRegister ? { register_after_seconds: 0 } : {}),
    });
    session.end('deregistered');
  });
}

export function refuseHello(batch: Batch, session: Session, { code, detail }: Rejection): void {
  batch.afterCommit(() => {
    session.post({ type: 'error', code, detail, fatal: true });
    session.end(code);
  });
}

/** One list for all that hand nothing else. */
const nothing: readonly string[] = [];

export function describe(device: DeviceDescription): WorkerDescription {
  return {
    name: device.name ?? null,
    type: device.type,
    platform: device.platform,
    slots: device.slots ?? 1,
    kinds: device.kinds ?? [defaultProgramKind],
    runtimes: device.runtimes ?? null,
    hands: device.hands ?? nothing,
    labels: device.labels ?? {},
    isolation: device.isolation ?? 'none',
    version: device.version ?? null,
    taskMemoryMb: device.task_memory_mb ?? null,
    leaseMs: leaseMsOf(device.lease_seconds),
  };
}

export function leaseMsOf(seconds: number | undefined): number | null {
  return seconds === undefined ? null : Math.round(seconds * 1000);
}
