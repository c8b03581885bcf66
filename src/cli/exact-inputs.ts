// The inputs of tasks with every digit and every key that the coordinator sent: their texts are cut out of its
// answer. Parsing would round large numbers, drop repeated keys and put those like "2" first.

import type { Exact, TaskInput } from '../client/index.ts';
import { RawJson } from '../protocol/codec.ts';
import { everyElement, Place, type PlaceToCut } from '../protocol/json-places.ts';
import { JsonScanner } from '../protocol/json-scanner.ts';

const INPUT: PlaceToCut = { steps: ['input'], cut: 'value' };
const INPUTS: PlaceToCut = { steps: [everyElement, 'input'], cut: 'value' };

/** The task of an answer, with its input as `RawJson`. */
export function exactTask<Task extends TaskInput>({ text, value }: Exact<Task>): Task {
  return withTexts([value], textsAt(INPUT, text))[0]!;
}

/** The tasks of a page, with their inputs as `RawJson`. */
export function exactTasks<Task extends TaskInput>({
  text,
  value,
}: Exact<readonly Task[]>): readonly Task[] {
  return withTexts(value, textsAt(INPUTS, text));
}

function withTexts<Task extends TaskInput>(
  tasks: readonly Task[],
  texts: readonly string[],
): readonly Task[] {
  let next = 0;
  const exact = tasks.map((task) =>
    // Those that cannot be read have a sentence instead.
    task.input === undefined ? task : { ...task, input: new RawJson(texts[next++]!) },
  );
  if (next === texts.length) return exact;
  throw new Error(`${next} tasks have inputs, and the answer has ${texts.length}`);
}

/** The answer has been parsed already, so it is JSON. */
function textsAt(place: PlaceToCut, text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  const scanner = new JsonScanner(bytes, Place.tree([place]));
  scanner.scan();
  if (scanner.problem !== null) throw new Error(`An answer is ${scanner.problem}`);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return scanner.cuts.map(({ from, to }) => decoder.decode(bytes.subarray(from, to)));
}
