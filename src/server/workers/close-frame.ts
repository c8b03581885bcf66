// The words with which the socket of a worker is closed.

export const stopping = 'the coordinator stops';
export const tooMany = 'too many connections (limit connections_per_token)';

const longestReasonBytes = 123;

/** A close frame has room for so many bytes. */
export function fittingReason(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= longestReasonBytes
    ? reason
    : bytes
        .subarray(0, longestReasonBytes)
        .toString('utf8')
        .replace(/\uFFFD*$/, '');
}
