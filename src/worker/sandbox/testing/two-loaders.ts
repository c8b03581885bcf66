// Runs one module in two ways: as Node loads it, and in the script form that the sandbox makes.

import { hiddenOf, ProgramInvalid, scriptOf, toScriptForm } from '../module-form.ts';

/**
 * The value that the default export returned, or the name of the error that came instead. A module that
 * is refused before it runs is a syntax error in both ways.
 */
export type Outcome = { readonly value: unknown } | { readonly error: string };

type Task = () => unknown;

export async function byNode(source: string): Promise<Outcome> {
  return outcomeOf(async () => {
    const module: unknown = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    return (module as { default: Task }).default;
  });
}

export async function byScriptForm(source: string): Promise<Outcome> {
  return outcomeOf(async () => {
    const form = toScriptForm(source);
    // oxlint-disable-next-line no-eval -- the engine evaluates it in the child as well
    const enclose = (0, eval)(`'use strict';${scriptOf(form, [])}`) as (
      globals: object,
      hidden: object,
    ) => () => Promise<{ task: Task }>;
    return (await enclose({}, hiddenOf(form))()).task;
  });
}

async function outcomeOf(load: () => Promise<Task>): Promise<Outcome> {
  try {
    const task = await load();
    return { value: await task() };
  } catch (error) {
    if (error instanceof ProgramInvalid) return { error: 'SyntaxError' };
    return { error: error instanceof Error ? error.name : String(error) };
  }
}

/** Texts that the evaluator of the sandbox refuses. */
export const refusedByLook = /(?:^|[^.]|\.\.\.)\bimport\s*(?:\(|\/[/*])|<!--|-->/;
