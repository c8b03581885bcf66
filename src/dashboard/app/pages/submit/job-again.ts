// A job that was submitted as a draft of a new one: its program, its inputs as far as they can be read back, and how
// it was done.

import { requestExact, requestText } from '../../../../client/request.ts';
import { defaultProgramKind } from '../../../../protocol/program.ts';
import type { TaskListing } from '../../../../protocol/resources.ts';
import type { JobHead } from '../../store/cluster.ts';
import { endpoint, pathOfJob, read } from '../../store/endpoint.ts';
import { mostReadBack } from '../../store/readable-inputs.ts';
import { grouped } from '../../text/numbers.ts';
import { counted, listed, nameOf } from '../../text/words.ts';
import { takeJob } from './draft.ts';
import { linesOfInputs } from './read-back.ts';
import { noting } from './sending.ts';
import { takenOptions } from './taken-options.ts';

const mostCharacters = 64_000_000;
const pageSize = 1000;

interface Asked {
  readonly signal: AbortSignal;
  /** So many inputs of so many were read. */
  readonly onRead: (count: number, of: number) => void;
}

/** Puts it in place of the draft. Rejects when it is not there, or was given up. */
export async function takeJobAgain(id: string, { signal, onRead }: Asked): Promise<void> {
  const head = await read<JobHead>(pathOfJob(id), { tasks: false }, signal);
  const { program_kind: kind = defaultProgramKind } = head;
  if (kind !== defaultProgramKind) {
    throw new Error(`Its program is not JavaScript but ${kind}, which this form cannot submit.`);
  }
  const program = await noting(() => programOf(id, signal));
  const { lines, unread } = await inputsOf(head, { signal, onRead });
  const { texts, lost } = takenOptions(head);
  const lacks = [
    ...(unread === 0
      ? []
      : [
          unread === head.task_count
            ? `Its ${counted(unread, 'input')} cannot be read back here: give them again.`
            : `${counted(unread, 'input')} of ${grouped(head.task_count)} cannot be read back.`,
        ]),
    ...(lost.length === 0 ? [] : [`This form cannot say its ${listed(lost)}.`]),
  ].join(' ');
  signal.throwIfAborted();
  takeJob({ program, options: texts, origin: { id, name: nameOf(head), lacks } }, lines);
}

async function programOf(id: string, signal: AbortSignal): Promise<string> {
  let text = '';
  for await (const piece of requestText(endpoint, `${pathOfJob(id)}/program`, { signal })) {
    text += piece;
  }
  return text;
}

interface InputsRead {
  readonly lines: readonly string[];
  readonly unread: number;
}

/** All of them but those that are damaged, or none. */
async function inputsOf(
  { id, task_count: count }: JobHead,
  { signal, onRead }: Asked,
): Promise<InputsRead> {
  const none = { lines: [], unread: count };
  if (count > mostReadBack) return none;
  const lines: string[] = [];
  let characters = 0;
  let unread = 0;
  let after: number | undefined;
  while ((after ?? -1) < count - 1) {
    const query = { inputs: true, limit: pageSize, after };
    const { text, value } = await noting(() =>
      requestExact<readonly TaskListing[]>(endpoint, `${pathOfJob(id)}/tasks`, { query, signal }),
    );
    if (value.length === 0) break;
    const page = linesOfInputs(text);
    for (const line of page) {
      if (line === null) unread++;
      else {
        lines.push(line);
        characters += line.length;
      }
    }
    if (characters > mostCharacters) return none;
    after = value.at(-1)!.index;
    onRead(lines.length, count);
  }
  return { lines, unread };
}
