// A payload that is nothing but `{"$blob": "<sha256>"}` stands for the JSON text in that blob.

/** `{"$blob":"…"}` with 64 hexadecimal digits, and room for some spaces. */
const shortestReference = 76;
const longestReference = 128;
const reference = /^\s*\{\s*"\$blob"\s*:\s*"([0-9a-f]{64})"\s*\}\s*$/;

/** The hash, when a payload is nothing but a reference to a blob. */
export function blobReferenceOf(jsonText: string): string | undefined {
  const { length } = jsonText;
  if (length < shortestReference || length > longestReference) return undefined;
  return reference.exec(jsonText)?.[1];
}

export function blobReference(sha256: string): string {
  return `{"$blob":"${sha256}"}`;
}

/** Hashes of blobs, each with the index of the first input that refers to it. */
export type BlobReferences = ReadonlyMap<string, number>;

export function blobReferences(inputs: readonly string[], fromIndex: number): BlobReferences {
  const found = new Map<string, number>();
  for (let i = 0; i < inputs.length; i++) {
    const sha256 = blobReferenceOf(inputs[i]!);
    if (sha256 !== undefined && !found.has(sha256)) found.set(sha256, fromIndex + i);
  }
  return found;
}
