// Inputs that are longer than a line may be become blobs on their way; the input is then a reference, for
// which the worker puts the value.

import type { MusterClient } from '../../client/index.ts';
import { payloadText } from '../../protocol/codec.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import type { JobInputs } from './job-inputs.ts';

type ListedInputs = Extract<JobInputs, { readonly type: 'list' }>;

/** A character takes three bytes at most. */
const CERTAINLY_SHORT = defaultLimits.inputBytes / 3;

export function withLargeInputs(client: MusterClient, inputs: ListedInputs): ListedInputs {
  return { ...inputs, values: lettingBlobs(client, inputs.values) };
}

async function* lettingBlobs(
  client: MusterClient,
  values: AsyncIterable<unknown>,
): AsyncGenerator<unknown, void, void> {
  let limits: ReturnType<MusterClient['limits']> | undefined;
  for await (const value of values) {
    const text = payloadText(value);
    if (text.length <= CERTAINLY_SHORT) {
      yield value;
      continue;
    }
    const { input_bytes: most, blob_bytes: mostOfBlob } = await (limits ??= client.limits());
    const bytes = new TextEncoder().encode(text);
    // What is too large for a blob as well is refused by the coordinator, with the place of the input.
    const isBlob = bytes.length > most && bytes.length <= mostOfBlob;
    yield isBlob ? await client.putBlob(bytes) : value;
  }
}
