// Turns the bytes of a frame into messages whose shape the coordinator can trust. Entries are
// checked one by one: a bad report does not spoil the others of its frame. All bad messages of a
// frame get one answer.

import type { z } from 'zod';
import { messagesOf } from '../../protocol/codec.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { CoordinatorMessage, RejectedReport, WorkerMessage } from '../../protocol/messages.ts';
import {
  byeSchema,
  heartbeatAttemptSchema,
  heartbeatSchema,
  heldAttemptSchema,
  helloSchema,
} from '../../protocol/schemas/worker-messages.ts';
import { type Payloads, type Reading, readJson } from '../json-reader.ts';
import { frameRules } from '../reading-rules.ts';
import { shown } from '../refusal.ts';
import { PackedStates } from './packed-states.ts';
import { isHeartbeatAttempt, isHeldAttempt, type ReportName } from './report-checks.ts';
import { arrayNames, Explanations, reportMessage } from './report-entries.ts';
import { entryProblem, problemOf } from '../validation.ts';

export interface ReceivedFrame {
  readonly messages: readonly WorkerMessage[];
  /** Answers to the messages and entries that could not be taken. */
  readonly answers: readonly CoordinatorMessage[];
  /** Number of messages, and of entries that name no attempt, that could not be taken. */
  readonly badCount: number;
  /** True when the connection must end; the last answer says why. */
  readonly isFatal: boolean;
}

/** `patience`: after so many bad messages the rest of the frame is not read. */
export type FrameReader = (
  bytes: Buffer,
  patience: number,
) => ReceivedFrame | Promise<ReceivedFrame>;

export function createFrameReader(limits: Limits): FrameReader {
  const hello = helloSchema(limits);
  const rules = frameRules(limits);
  return (bytes, patience) => {
    const received = (reading: Reading) => receivedFrame(reading, limits, hello, patience);
    const reading = readJson(bytes, rules);
    return reading instanceof Promise ? soon(reading, received) : received(reading);
  };
}

/** Checks messages that came as a part of something larger, whose payloads these are. */
export type MessageReader = (value: unknown, payloads: Payloads) => ReceivedFrame;

export function createMessageReader(limits: Limits): MessageReader {
  const hello = helloSchema(limits);
  return (value, payloads) =>
    messagesIn(value, new FrameInParts(limits, hello, payloads, Infinity));
}

async function soon<T, R>(promise: Promise<T>, next: (value: T) => R): Promise<R> {
  return next(await promise);
}

export function errorMessage(detail: string, isFatal: boolean): CoordinatorMessage {
  return { type: 'error', code: 'validation_failed', detail, fatal: isFatal };
}

function receivedFrame(
  reading: Reading,
  limits: Limits,
  hello: z.ZodType,
  patience: number,
): ReceivedFrame {
  if (!reading.ok) {
    const hint = reading.isTooLarge ? '; send smaller frames' : '';
    return fatal(`A frame must be JSON text; this one is ${reading.problem}${hint}.`);
  }
  return messagesIn(reading.value, new FrameInParts(limits, hello, reading.payloads, patience));
}

function messagesIn(value: unknown, received: FrameInParts): ReceivedFrame {
  const frame = messagesOf(value);
  if (!frame.ok) return fatal(frame.detail);
  for (const message of frame.messages as Incoming[]) {
    received.take(message);
    if (received.isOver) break;
  }
  return received.finish();
}

type Incoming = { readonly type: unknown } & Record<string, unknown>;

class FrameInParts {
  isOver = false;
  private readonly limits: Limits;
  private readonly hello: z.ZodType;
  private readonly payloads: Payloads;
  private readonly patience: number;
  private readonly explanations = new Explanations();
  private readonly packedStates = new PackedStates();
  private readonly messages: WorkerMessage[] = [];
  private readonly rejected: RejectedReport[] = [];
  private firstProblem = '';
  private badCount = 0;
  private fatalProblem: string | null = null;

  constructor(limits: Limits, hello: z.ZodType, payloads: Payloads, patience: number) {
    this.limits = limits;
    this.hello = hello;
    this.payloads = payloads;
    this.patience = patience;
  }

  take(message: Incoming): void {
    if (isReportName(message.type)) return this.takeReports(message, message.type);
    const problem = messageProblem(message, this.hello);
    if (problem === null) this.messages.push(message as unknown as WorkerMessage);
    else if (message.type === 'hello') {
      this.fatalProblem = problem;
      this.isOver = true;
    } else this.bad(problem);
  }

  finish(): ReceivedFrame {
    const { messages, rejected, badCount, firstProblem } = this;
    if (this.fatalProblem !== null) return { ...fatal(this.fatalProblem), messages };
    const answers: CoordinatorMessage[] = [];
    if (rejected.length > 0) answers.push({ type: 'reject', rejected });
    if (badCount > 0) {
      const more = badCount === 1 ? '' : ` (${badCount - 1} more like this in the same frame.)`;
      answers.push(errorMessage(firstProblem + more, false));
    }
    return { messages, answers, badCount, isFatal: false };
  }

  /** Makes a message of the good entries, if there are any. */
  private takeReports(message: Incoming, kind: ReportName): void {
    const name = arrayNames[kind];
    const entries = message[name];
    if (!Array.isArray(entries)) return this.bad(`${kind} must hold an array "${name}".`);
    const { limits, payloads, explanations, packedStates } = this;
    const context = { limits, payloads, explanations, packedStates };
    const fitting = reportMessage(kind, entries, context, (bad) => {
      const { task_id, attempt } = bad;
      if (task_id !== null && attempt !== null) this.rejected.push({ ...bad, task_id, attempt });
      else this.bad(`${kind}: ${bad.detail}`);
    });
    if (fitting !== null) this.messages.push(fitting);
  }

  private bad(problem: string): void {
    if (this.badCount === 0) this.firstProblem = problem;
    this.badCount++;
    if (this.badCount >= this.patience) this.isOver = true;
  }
}

function fatal(detail: string): ReceivedFrame {
  return { messages: [], answers: [errorMessage(detail, true)], badCount: 1, isFatal: true };
}

function messageProblem(message: Incoming, hello: z.ZodType): string | null {
  switch (message.type) {
    case 'hello':
      return helloProblem(message, hello);
    case 'heartbeat':
      return heartbeatProblem(message);
    case 'bye':
      return problemOf(byeSchema, message, 'bye');
    default:
      return `There is no message of the type ${shown(message.type)}.`;
  }
}

// A schema takes microseconds for each attempt, and a list may have thousands. So a quick check goes over
// the list, and the schema over the rest of the message. Telemetry is left out: what makes no sense in it is only
// named in warnings, since a faulty sensor must not cost a worker.

function helloProblem(message: Incoming, hello: z.ZodType): string | null {
  const { attempts, telemetry } = message;
  const rest = Array.isArray(attempts) ? { ...message, attempts: [] } : message;
  const calm = telemetry === undefined ? rest : { ...rest, telemetry: {} };
  return (
    problemOf(hello, calm, 'hello') ??
    entryProblem(heldAttemptSchema, isHeldAttempt, attempts, 'attempts')
  );
}

function heartbeatProblem(message: Incoming): string | null {
  const { running } = message;
  const rest = Array.isArray(running) ? { ...message, running: [] } : message;
  return (
    problemOf(heartbeatSchema, { ...rest, telemetry: {} }, 'heartbeat') ??
    entryProblem(heartbeatAttemptSchema, isHeartbeatAttempt, running, 'running')
  );
}

function isReportName(type: unknown): type is ReportName {
  return typeof type === 'string' && Object.hasOwn(arrayNames, type);
}
