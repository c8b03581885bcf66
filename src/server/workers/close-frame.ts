// How the socket of a worker is closed: with which code and which words.

export const closeCode = {
  normal: 1000,
  goingAway: 1001,
  notText: 1003,
  policy: 1008,
  failed: 1011,
  tryLater: 1013,
} as const;

export const stopping = 'the coordinator stops';
export const tooMany = 'too many connections (limit connections_per_token)';

/** A closed connection that the other side does not confirm is cut after this time. */
export const closeMs = 2_000;

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
