// Frames on a worker's socket: text, one message or an array of them. Payloads (inputs, states,
// results) are JSON text everywhere inside a program; `RawJson` carries such a text through the
// encoder untouched, so that it is neither parsed nor walked on its way to the wire.

import type { BareAssignMessage } from './bare-assign.ts';
import type { AssignMessage, Assignment, CoordinatorMessage } from './messages.ts';
import type { CheckpointMessage, ProgramDescription } from './messages.ts';
import type { ResultMessage, ResultReport, WorkerMessage } from './messages.ts';

/** JSON text that stands for its value. Invariant: `text` is valid JSON. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Slow: for messages without an encoder of their own below. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** The JSON text of a payload, whether it came raw or as a value. */
export function payloadText(value: unknown): string {
  return value instanceof RawJson ? value.text : (JSON.stringify(value) ?? 'null');
}

/** What a frame may hold; bare assignments only between members of a cluster. */
type Encodable = WorkerMessage | CoordinatorMessage | BareAssignMessage;

export function encodeFrame(messages: readonly Encodable[]): string {
  if (messages.length === 1) return encodeMessage(messages[0]!);
  let text = '[';
  for (let i = 0; i < messages.length; i++) {
    if (i > 0) text += ',';
    text += encodeMessage(messages[i]!);
  }
  return `${text}]`;
}

export type DecodedFrame =
  | { readonly ok: true; readonly messages: readonly unknown[] }
  | { readonly ok: false; readonly detail: string };

/** Splits a frame of a trusted sender into messages. */
export function decodeFrame(text: string): DecodedFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, detail: 'A frame must be JSON text; this one does not parse.' };
  }
  return messagesOf(value);
}

/** The messages in the value of a frame. The receiver validates what each one holds. */
export function messagesOf(value: unknown): DecodedFrame {
  const messages = Array.isArray(value) ? (value as unknown[]) : [value];
  for (const message of messages) {
    if (typeof message !== 'object' || message === null || !('type' in message)) {
      return { ok: false, detail: 'Every message in a frame must be an object with a "type".' };
    }
  }
  return { ok: true, messages };
}

function encodeMessage(message: Encodable): string {
  if (message.type === 'assign') return encodeAssign(message);
  if (message.type === 'result') return encodeResult(message);
  if (message.type === 'checkpoint') return encodeCheckpoint(message);
  return JSON.stringify(message);
}

function encodeAssign(message: AssignMessage): string {
  let text = `{"type":"assign","sequence":${message.sequence},"programs":${programsText(message.programs)},"assignments":[`;
  for (let i = 0; i < message.assignments.length; i++) {
    if (i > 0) text += ',';
    text += encodeAssignment(message.assignments[i]!);
  }
  return `${text}]}`;
}

const programJsons = new WeakMap<ProgramDescription, string>();

/** Made once for each program, which goes to many workers and with many jobs. */
export function programJson(program: ProgramDescription): string {
  if (program.source === undefined && program.definition === undefined)
    return JSON.stringify(program);
  let text = programJsons.get(program);
  if (text === undefined) programJsons.set(program, (text = wholeProgramJson(program)));
  return text;
}

function wholeProgramJson({ definition, shared, ...rest }: ProgramDescription): string {
  let text = JSON.stringify(rest).slice(0, -1);
  if (definition !== undefined) text += `,"definition":${payloadText(definition)}`;
  if (shared !== undefined) text += `,"shared":${payloadText(shared)}`;
  return `${text}}`;
}

function programsText(programs: AssignMessage['programs']): string {
  const entries = Object.entries(programs).map(([jobId, { program, ...times }]) => {
    const rest = JSON.stringify(times).slice(1);
    return `"${jobId}":{"program":${programJson(program)},${rest}`;
  });
  return `{${entries.join()}}`;
}

// Invariant: ids and tokens are made by the coordinator and hold no character that JSON escapes.
function encodeAssignment(a: Assignment): string {
  const owner = a.owner === undefined ? '' : `"owner":${JSON.stringify(a.owner)},`;
  const priority = a.priority === undefined ? '' : `"priority":${a.priority},`;
  const head = `{"task_id":"${a.task_id}","attempt":${a.attempt},"token":"${a.token}","job_id":"${a.job_id}",${owner}${priority}"index":${a.index},"input":${payloadText(a.input)}`;
  const from = a.checkpoint;
  if (from === undefined) return `${head}}`;
  return `${head},"checkpoint":{"sequence":${from.sequence},"progress":${from.progress},"state":${payloadText(from.state)}}}`;
}

function encodeResult(message: ResultMessage): string {
  let text = '{"type":"result","results":[';
  for (let i = 0; i < message.results.length; i++) {
    if (i > 0) text += ',';
    text += reportJson(message.results[i]!);
  }
  return `${text}]}`;
}

function encodeCheckpoint({ checkpoints }: CheckpointMessage): string {
  const entries = checkpoints.map(({ state, ...rest }) => {
    const text = JSON.stringify(rest);
    return state instanceof RawJson
      ? `${text.slice(0, -1)},"state":${state.text}}`
      : withState(text, state);
  });
  return `{"type":"checkpoint","checkpoints":[${entries.join()}]}`;
}

function withState(text: string, state: unknown): string {
  return state === undefined ? text : `${text.slice(0, -1)},"state":${JSON.stringify(state)}}`;
}

export function reportJson(r: ResultReport): string {
  let text = `{"task_id":"${r.task_id}","attempt":${r.attempt},"token":"${r.token}","value":${payloadText(r.value)}`;
  if (r.blobs !== undefined) text += `,"blobs":${JSON.stringify(r.blobs)}`;
  if (r.run_ms !== undefined) text += `,"run_ms":${r.run_ms}`;
  if (r.cpu_seconds !== undefined) text += `,"cpu_seconds":${r.cpu_seconds}`;
  if (r.energy_joules !== undefined) text += `,"energy_joules":${r.energy_joules}`;
  if (r.output !== undefined) text += `,"output":${JSON.stringify(r.output)}`;
  return `${text}}`;
}
