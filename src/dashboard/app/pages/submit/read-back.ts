// Inputs as a list of tasks tells them, each as a line of JSON. Numbers that JavaScript cannot hold keep their digits.

import type { TaskInput } from '../../../../protocol/resources.ts';

/** What browsers have, and the compiler does not know yet. */
const json = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON?(text: string): unknown;
};

/** `text`: of an answer with tasks. Null: one that cannot be read. */
export function linesOfInputs(text: string): readonly (string | null)[] {
  const tasks = json.parse(text, (_key, value, context) => {
    const source = context?.source;
    const isExact = typeof value !== 'number' || source === undefined || String(value) === source;
    return isExact || json.rawJSON === undefined ? value : json.rawJSON(source);
  }) as readonly TaskInput[];
  return tasks.map(({ input }) => (input === undefined ? null : `${JSON.stringify(input)}\n`));
}
