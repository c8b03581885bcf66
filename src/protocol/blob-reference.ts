// A payload that is nothing but `{"$blob": "<sha256>"}` stands for the JSON text in that blob; `{"$bytes": "<sha256>"}`
// stands for its bytes as they are.

export interface PayloadReference {
  readonly sha256: string;
  /** It stands for the bytes, not for JSON. */
  readonly isBytes: boolean;
}

/** `{"$blob":"…"}` with 64 hexadecimal digits, and room for some spaces. */
const shortestReference = 76;
const longestReference = 128;
const reference = /^\s*\{\s*"\$(blob|bytes)"\s*:\s*"([0-9a-f]{64})"\s*\}\s*$/;

/** When a payload is nothing but a reference. */
export function payloadReferenceOf(jsonText: string): PayloadReference | undefined {
  const { length } = jsonText;
  if (length < shortestReference || length > longestReference) return undefined;
  const found = reference.exec(jsonText);
  return found === null ? undefined : { sha256: found[2]!, isBytes: found[1] === 'bytes' };
}

/** The hash, when a payload is nothing but a reference to JSON in a blob. */
export function blobReferenceOf(jsonText: string): string | undefined {
  const found = payloadReferenceOf(jsonText);
  return found?.isBytes === false ? found.sha256 : undefined;
}

export function blobReference(sha256: string): string {
  return `{"$blob":"${sha256}"}`;
}

export function bytesReference(sha256: string): string {
  return `{"$bytes":"${sha256}"}`;
}

export interface InputReferences {
  /** Hashes of blobs, each with the index of the first input that refers to it. */
  readonly blobs: ReadonlyMap<string, number>;
  /** One of them stands for bytes. */
  readonly haveBytes: boolean;
}

export function inputReferences(inputs: readonly string[], fromIndex: number): InputReferences {
  const blobs = new Map<string, number>();
  let haveBytes = false;
  for (let i = 0; i < inputs.length; i++) {
    const found = payloadReferenceOf(inputs[i]!);
    if (found === undefined) continue;
    haveBytes ||= found.isBytes;
    if (!blobs.has(found.sha256)) blobs.set(found.sha256, fromIndex + i);
  }
  return { blobs, haveBytes };
}
