// From the text of a frame to messages that the coordinator can trust in shape. What breaks its
// schema is answered entry by entry: one bad report does not spoil the others of its frame.

import type { z } from 'zod';
import { decodeFrame } from '../protocol/codec.ts';
import type { Limits } from '../protocol/limits.ts';
import type { CoordinatorMessage, RejectedReport, WorkerMessage } from '../protocol/messages.ts';
import { byeSchema, heartbeatSchema, helloSchema } from '../protocol/schemas/worker-messages.ts';
import { shown } from './refusal.ts';
import { isHeartbeatAttempt, type ReportName } from './report-checks.ts';
import { arrayNames, reportMessage } from './report-entries.ts';
import { problemOf } from './validation.ts';

export interface ReceivedFrame {
  readonly messages: readonly WorkerMessage[];
  /** What has to be said about the rest. */
  readonly answers: readonly CoordinatorMessage[];
  /** The connection cannot go on: the last answer says why. */
  readonly isFatal: boolean;
}

export type FrameReader = (text: string) => ReceivedFrame;

export function createFrameReader(limits: Limits): FrameReader {
  const hello = helloSchema(limits);
  return (text) => {
    const frame = decodeFrame(text);
    if (!frame.ok) return fatal(frame.detail);
    const messages: WorkerMessage[] = [];
    const answers: CoordinatorMessage[] = [];
    for (const message of frame.messages as Incoming[]) {
      if (isReportName(message.type)) {
        const fitting = fittingReports(message, message.type, limits, answers);
        if (fitting !== null) messages.push(fitting);
        continue;
      }
      calmTelemetry(message);
      const problem = messageProblem(message, hello);
      if (problem === null) messages.push(message as unknown as WorkerMessage);
      else if (message.type === 'hello') return { ...fatal(problem), messages };
      else answers.push(errorMessage(problem, false));
    }
    return { messages, answers, isFatal: false };
  };
}

export function errorMessage(detail: string, isFatal: boolean): CoordinatorMessage {
  return { type: 'error', code: 'validation_failed', detail, fatal: isFatal };
}

type Incoming = { readonly type: unknown } & Record<string, unknown>;

/** Measurements that make no sense count as missing: a faulty sensor must not cost a worker. */
function calmTelemetry(message: Incoming): void {
  const { type, telemetry } = message;
  if (type !== 'heartbeat' && (type !== 'hello' || telemetry === undefined)) return;
  const isObject = typeof telemetry === 'object' && telemetry !== null && !Array.isArray(telemetry);
  if (!isObject) message['telemetry'] = {};
}

function fatal(detail: string): ReceivedFrame {
  return { messages: [], answers: [errorMessage(detail, true)], isFatal: true };
}

function messageProblem(message: Incoming, hello: z.ZodType): string | null {
  switch (message.type) {
    case 'hello':
      return problemOf(hello, message, 'hello');
    case 'heartbeat':
      return heartbeatProblem(message);
    case 'bye':
      return problemOf(byeSchema, message, 'bye');
    default:
      return `There is no message of the type ${shown(message.type)}.`;
  }
}

/** The schema walks the listed attempts only when the quick check has found a bad one. */
function heartbeatProblem(message: Incoming): string | null {
  const { running } = message;
  const isFine = Array.isArray(running) && running.every(isHeartbeatAttempt);
  return problemOf(heartbeatSchema, isFine ? { ...message, running: [] } : message, 'heartbeat');
}

function isReportName(type: unknown): type is ReportName {
  return typeof type === 'string' && Object.hasOwn(arrayNames, type);
}

/** The message with its good entries; null when none is left. */
function fittingReports(
  message: Incoming,
  kind: ReportName,
  limits: Limits,
  answers: CoordinatorMessage[],
): WorkerMessage | null {
  const name = arrayNames[kind];
  const entries = message[name];
  if (!Array.isArray(entries)) {
    answers.push(errorMessage(`${kind} must hold an array "${name}".`, false));
    return null;
  }
  const rejected: RejectedReport[] = [];
  const fitting = reportMessage(kind, entries, limits, (bad) => {
    const { task_id, attempt } = bad;
    if (task_id !== null && attempt !== null) rejected.push({ ...bad, task_id, attempt });
    else answers.push(errorMessage(`${kind}: ${bad.detail}`, false));
  });
  if (rejected.length > 0) answers.push({ type: 'reject', rejected });
  return fitting;
}
