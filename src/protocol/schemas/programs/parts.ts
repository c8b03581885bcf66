// What programs of several kinds have in common: a source, bytes that were uploaded, arguments, an environment.

import { z } from 'zod';
import type { Limits } from '../../limits.ts';
import { isWithinBytes } from '../fields.ts';

/** Of one program; the bytes of all of them are bounded by a limit. */
export const mostFiles = 1000;

const hex = /^[0-9a-f]{64}$/;
const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const variableForm = 'must be a name of letters, digits and underscores';
/** Ends a text for whoever gets it. */
const nul = '\0';

export function sourceField(limits: Limits) {
  const sentence = `must be a text of 1 to ${limits.programBytes} bytes (limit program_bytes)`;
  return z
    .string(sentence)
    .min(1, sentence)
    .refine((source) => isWithinBytes(source, limits.programBytes), sentence);
}

/** Bytes of a blob. */
export function bytesField() {
  const sentence =
    'must be {"$blob": "<sha256>"}, with the hash of bytes that were uploaded before ' +
    '(PUT /api/blobs/{sha256})';
  return z.strictObject({ $blob: z.string(sentence).regex(hex, sentence) }, sentence);
}

/** Files by name, whose form is for `isName` to say. */
export function filesField(isName: (name: string) => boolean, form: string) {
  const sentence = `must be an object of at most ${mostFiles} files, each {"$blob": "<sha256>"}`;
  return z
    .record(z.string().refine(isName, form), bytesField(), { error: keyOr(form, sentence) })
    .refine((files) => Object.keys(files).length <= mostFiles, sentence);
}

export function argumentsField(limits: Limits) {
  const { programArguments: most, argumentBytes } = limits;
  const sentence = `must be an array of at most ${most} texts (limit program_arguments)`;
  return z
    .array(argumentField(limits), sentence)
    .max(most, sentence)
    .describe(`At most ${most}, of ${argumentBytes} bytes each`);
}

export function argumentField({ argumentBytes }: Limits) {
  const sentence = `must be a text of at most ${argumentBytes} bytes (limit argument_bytes) without a NUL`;
  return z
    .string(sentence)
    .refine((text) => isWithinBytes(text, argumentBytes) && !text.includes(nul), sentence);
}

export function environmentField({ environmentVariables: most, environmentBytes }: Limits) {
  const sentence = `must be an object of at most ${most} texts (limit environment_variables)`;
  const size = `must take at most ${environmentBytes} bytes, names and values together (limit environment_bytes)`;
  return z
    .record(
      z.string().regex(variableName, variableForm),
      z.string(sentence).refine((value) => !value.includes(nul), 'must be a text without a NUL'),
      { error: keyOr(variableForm, sentence) },
    )
    .refine((variables) => Object.keys(variables).length <= most, sentence)
    .refine((variables) => {
      const all = Object.entries(variables).flat().join('');
      return isWithinBytes(all, environmentBytes);
    }, size);
}

/** Of a key that is wrong a record says that it is, but not why. */
function keyOr(form: string, sentence: string): z.core.$ZodErrorMap {
  return (issue) => (issue.code === 'invalid_key' ? form : sentence);
}

/** A name of a file below a folder: `scene.blend`, `textures/wood.png`. */
export function isNameBelow(name: string): boolean {
  if (name.length === 0 || name.length > 500 || name.includes(nul) || name.includes('\\'))
    return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
