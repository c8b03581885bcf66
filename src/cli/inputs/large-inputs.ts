// Inputs beyond the limit become blobs on their way: what is sent is a reference, and the worker puts the value in
// its place.

import type { MusterClient } from '../../client/index.ts';
import { payloadText } from '../../protocol/codec.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import { CommandFailure } from '../command-failure.ts';
import type { JobInputs } from './job-inputs.ts';

type ListedInputs = Extract<JobInputs, { readonly type: 'list' }>;

/** A character takes three bytes at most. */
const CERTAINLY_SHORT = defaultLimits.inputBytes / 3;

export function withLargeInputs(client: MusterClient, inputs: ListedInputs): ListedInputs {
  return { ...inputs, values: lettingBlobs(client, inputs) };
}

async function* lettingBlobs(
  client: MusterClient,
  { values, placeOf }: ListedInputs,
): AsyncGenerator<unknown, void, void> {
  let limits: ReturnType<MusterClient['limits']> | undefined;
  let number = 0;
  for await (const value of values) {
    number++;
    const text = payloadText(value);
    if (text.length <= CERTAINLY_SHORT) {
      yield value;
      continue;
    }
    const { input_bytes: most, blob_bytes: mostOfBlob } = await (limits ??= client.limits());
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > mostOfBlob) {
      const sentence = `${placeOf(number)} has ${bytes.length} bytes, and an input may have ${mostOfBlob} (limit blob_bytes).`;
      throw new CommandFailure('usage', sentence);
    }
    yield bytes.length > most ? await client.putBlob(bytes) : value;
  }
}
