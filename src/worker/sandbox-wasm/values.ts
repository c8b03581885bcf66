// Inputs and results between the driver, which has JSON text or bytes, and a program, which has bytes in the form that
// it was submitted with.

import type { GuestStep, GuestValue } from '../sandbox/guest.ts';
import { isPayloadText } from '../sandbox/payload-text.ts';
import { type Failure, failure, tooLarge } from './ends.ts';
import { fromUtf8, toUtf8 } from './engine.ts';
import type { InputForm, OutputForm } from './wasm-program.ts';

/** What may stand before and after a JSON value. */
const blanks = /^[ \t\r\n]+|[ \t\r\n]+$/g;

/** Bytes are handed over as they are, whatever the form. */
export function inputBytes(value: GuestValue, form: InputForm): Uint8Array | Failure {
  if ('bytes' in value) return value.bytes;
  if (form === 'json') return toUtf8(value.json);
  const input: unknown = JSON.parse(value.json);
  if (form === 'text' && typeof input === 'string') return toUtf8(input);
  const wanted = form === 'text' ? 'a text' : 'bytes';
  return failure(
    'TypeError',
    `the program takes ${wanted}, and the input of this task is other JSON`,
    {
      isRetryable: false,
    },
  );
}

/** `bytes` may be a view on memory of the program. */
export function resultOf(bytes: Uint8Array, form: OutputForm, limitBytes: number): GuestStep {
  if (bytes.length > limitBytes) return tooLarge(limitBytes);
  if (form === 'bytes') return { type: 'result', value: { bytes: bytes.slice() } };
  const text = fromUtf8(bytes);
  if (text === null) return notJson('it is no UTF-8');
  const json =
    form === 'json' ? text.replaceAll(blanks, '') : JSON.stringify(writtenOf(text, form));
  if (form !== 'json' && toUtf8(json).length > limitBytes) return tooLarge(limitBytes);
  if (form === 'json' && !isPayloadText(json)) return notJson(faultOf(json));
  return { type: 'result', value: { json } };
}

/** The line end behind the last line begins no further one. */
function writtenOf(text: string, form: 'text' | 'lines'): string | string[] {
  if (form === 'text') return text;
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function notJson(why: string): Failure {
  return failure('result_not_json', `the result of the program is not JSON: ${why}`, {
    isRetryable: false,
  });
}

function faultOf(text: string): string {
  if (text === '') return 'nothing was written';
  try {
    JSON.parse(text);
    return 'it nests too deeply, or has a number that is too large';
  } catch (error) {
    return (error as Error).message;
  }
}
