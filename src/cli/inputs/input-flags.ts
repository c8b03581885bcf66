// Where the inputs of `submit` and `try` come from: one flag of several.

import { type Command, Option } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { FILE_FORMS, type FileForm, fileInputs } from './files.ts';
import { gridAxis, gridInputs } from './grid.ts';
import {
  type JobInputs,
  openCsv,
  openEach,
  openInputs,
  openLines,
  parseRange,
} from './job-inputs.ts';

export interface InputFlags {
  readonly inputs?: string;
  readonly lines?: string;
  readonly csv?: string;
  readonly each?: string;
  readonly files?: string;
  readonly filesAs?: FileForm;
  readonly range?: string;
  readonly grid?: ReturnType<typeof gridAxis>;
}

/** Each of these is a source of inputs; a job has one. */
const SOURCES = ['inputs', 'lines', 'csv', 'each', 'files', 'range', 'grid'] as const;

export function addInputFlags(command: Command): Command {
  const output = command.configureOutput();
  return command
    .configureOutput({
      outputError: (text, write) =>
        output.outputError?.(text + quotesHint(text, command.opts()), write),
    })
    .option('--inputs <file>', 'a .json array, .ndjson or .jsonl lines, or - for lines on stdin')
    .option('--lines <file>', 'every line is an input, as a text; - for stdin')
    .option('--csv <file>', 'every row is an input, with the names in the first; - for stdin')
    .option('--each <file>', 'the elements of the array in a file of JSON')
    .option('--files <pattern>', "every file is an input, like 'data/*.csv' (in quotes)")
    .addOption(
      new Option('--files-as <form>', 'what of a file: {name, text}, its name alone, or as JSON')
        .choices(FILE_FORMS)
        .default('text'),
    )
    .option('--range <start:count>', 'whole numbers as inputs')
    .option(
      '--grid <name=values>',
      'an input for every combination, like rate=0.1,1,10 or seed=10:3 (10, 11, 12); may be repeated',
      gridAxis,
    );
}

/** Without quotes the shell makes several words of a pattern: a flag takes one, the rest is too much. */
function quotesHint(text: string, { files }: InputFlags): string {
  if (files === undefined || !text.startsWith('error: too many arguments')) return '';
  return "The shell has put names in the place of a pattern. In quotes it stays one:  --files 'data/*.csv'\n";
}

export function hasInputFlag(flags: InputFlags): boolean {
  return SOURCES.some((source) => flags[source] !== undefined);
}

export async function inputsOf(
  flags: InputFlags,
  { folder, terminal }: Context,
): Promise<JobInputs> {
  const given = SOURCES.filter((source) => flags[source] !== undefined);
  if (given.length > 1) {
    const [first, second] = given;
    throw new CommandFailure('usage', `Give --${first} or --${second}, not both.`);
  }
  if (given.length === 0) {
    throw new CommandFailure('usage', 'The job has no inputs.', [
      'Give --inputs FILE (a .json array or .ndjson lines), --lines FILE, --csv FILE, --files PATTERN,',
      '--grid NAME=VALUES, or --range 0:100. For stdin FILE is -.',
    ]);
  }
  const { inputs, lines, csv, each, files, range, grid } = flags;
  const isTyped = [inputs, lines, csv].includes('-') && process.stdin.isTTY;
  if (isTyped) terminal.note(`reading inputs: ${typedNote(flags)}, Ctrl-D ends them`);
  if (range !== undefined) return parseRange(range);
  if (grid !== undefined) return gridInputs(grid);
  if (files !== undefined) return fileInputs(files, flags.filesAs ?? 'text', folder);
  if (each !== undefined) return openEach(each, folder);
  if (lines !== undefined) return openLines(lines, folder, process.stdin);
  if (csv !== undefined) return openCsv(csv, folder, process.stdin);
  return openInputs(inputs ?? '', folder, process.stdin);
}

function typedNote({ lines, csv }: InputFlags): string {
  if (lines !== undefined) return 'one text a line';
  return csv === undefined ? 'one JSON value a line' : 'the names of the columns, then rows';
}
