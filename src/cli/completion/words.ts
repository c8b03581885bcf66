// What can be typed, gathered from the declarations of the commands: for each command its commands, its
// flags, and what their values and its arguments are.

import type { Argument, Command, Option } from 'commander';

/** Jobs and workers are asked of the coordinator; files are the shell's own; nothing is known of others. */
export type Kind = 'jobs' | 'workers' | 'files' | 'other';

export interface Value {
  readonly kind: Kind;
  /** All that it may be; empty where that is not a list. */
  readonly words: readonly string[];
}

export interface Place {
  /** `muster scheduler set` */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly flags: readonly Flag[];
  readonly values: readonly Value[];
  /** The last value may come again. */
  readonly repeats: boolean;
}

export interface Word {
  readonly word: string;
  readonly meaning: string;
}

export interface Flag {
  /** `--help`, `-h` */
  readonly names: readonly string[];
  readonly meaning: string;
  /** Null: it takes none. */
  readonly value: Value | null;
}

export function placesOf(command: Command, parent = ''): readonly Place[] {
  const path = `${parent}${command.name()}`;
  const { commands, registeredArguments } = command;
  const own: Place = {
    path,
    commands: commands.map((each) => ({ word: each.name(), meaning: each.description() })),
    flags: [...command.options.filter(({ hidden }) => !hidden).map(flagOf), help],
    values: registeredArguments.map(valueOf),
    repeats: registeredArguments.at(-1)?.variadic ?? false,
  };
  return [own, ...commands.flatMap((each) => placesOf(each, `${path} `))];
}

const help: Flag = { names: ['--help', '-h'], meaning: 'print the help', value: null };

function flagOf(option: Option): Flag {
  const { long, short, description, required, optional } = option;
  return {
    names: [long, short].filter((name) => name !== undefined && name !== null),
    meaning: description,
    value: required || optional ? valueOf(option) : null,
  };
}

function valueOf(of: Option | Argument): Value {
  const words = of.argChoices ?? listed(of.parseArg);
  return { kind: words.length > 0 ? 'other' : kindOf(of), words };
}

/** The parser of a list of words has the list (`oneOf`). */
function listed(parse: unknown): readonly string[] {
  return (parse as { readonly words?: readonly string[] } | undefined)?.words ?? [];
}

const KINDS: Readonly<Record<string, Kind>> = {
  job: 'jobs',
  jobs: 'jobs',
  task: 'jobs',
  worker: 'workers',
  file: 'files',
  folder: 'files',
  program: 'files',
};

/** By the name of the value in the declaration: `--job <job>`, `<program>`. */
function kindOf(of: Option | Argument): Kind {
  const name = 'flags' in of ? /[<[](\w+)[\]>]/.exec(of.flags)?.[1] : of.name();
  return KINDS[name ?? ''] ?? 'other';
}
