import { z } from 'zod';
import { templateParts } from '../../command-template.ts';
import type { Limits } from '../../limits.ts';
import { commandName, commandResults, type CommandProgram } from '../../program.ts';
import { closed, flag, integer, number, oneOf } from '../fields.ts';
import {
  argumentField,
  argumentsField,
  environmentField,
  filesField,
  isNameBelow,
  mostFiles,
} from './parts.ts';

const mostCodes = 256;
const longestGraceSeconds = 600;
const nameForm = 'must be 1 to 64 letters, digits, dots, dashes and underscores';
const fileForm = 'must be named by a path below the folder of the task, like scene.blend';
const outputForm =
  'must be names of files below the folder of the task, like out-{index}.png, without ..';

export function commandProgram(limits: Limits) {
  const codes = () => {
    const sentence = 'must be an array of exit codes, integers from 0 to 255';
    return z.array(integer(0, 255), sentence).max(mostCodes, sentence);
  };
  const outputs = `must be an array of at most ${mostFiles} names of files`;
  return closed({
    kind: z.literal('command'),
    command: z
      .string(nameForm)
      .regex(commandName, nameForm)
      .describe('As the owner of a worker has listed it: no path'),
    args: argumentsField(limits).exactOptional().describe('Templates, one for each argument'),
    stdin: argumentField(limits)
      .exactOptional()
      .describe('`input` (default), `none`, or a template of what it reads'),
    result: oneOf(commandResults)
      .exactOptional()
      .describe('What is made of what it writes to stdout; default json'),
    outputs: z
      .array(argumentField(limits), outputs)
      .max(mostFiles, outputs)
      .exactOptional()
      .describe('Templates of the files that it leaves behind'),
    success_codes: codes().exactOptional().describe('Default: 0'),
    retry_codes: codes().exactOptional().describe('The attempt failed, and another may succeed'),
    env: environmentField(limits).exactOptional(),
    files: filesField(isNameBelow, fileForm).exactOptional(),
    grace_seconds: number(0, longestGraceSeconds)
      .exactOptional()
      .describe('Between the first order to stop and the last'),
    allow_dashes: flag()
      .exactOptional()
      .describe('What a template inserts may begin with `-` where the template does not'),
  })
    .superRefine(checkTemplates)
    .describe('Runs on workers that offer `command:<name>`');
}

function checkTemplates(program: CommandProgram, context: z.RefinementCtx): void {
  const tell = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message, input: program });
  const files = program.files ?? {};
  const check = (template: string, path: (string | number)[]): void => {
    const parts = templateParts(template);
    if (typeof parts === 'string') return tell(path, `must ${parts}`);
    for (const part of parts) {
      if (part.type !== 'file' || Object.hasOwn(files, part.name)) continue;
      tell(
        path,
        `must name files that the program has; there is no ${JSON.stringify(part.name.slice(0, 80))} in files`,
      );
      return;
    }
  };
  program.args?.forEach((each, at) => check(each, ['args', at]));
  if (program.stdin !== undefined) check(program.stdin, ['stdin']);
  program.outputs?.forEach((each, at) => {
    check(each, ['outputs', at]);
    if (!isNameBelow(each)) tell(['outputs', at], outputForm);
  });
}
