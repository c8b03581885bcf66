// How a WebSocket is closed, that of a worker and that between two members: with which code, and how long that may take.

export const closeCode = {
  normal: 1000,
  goingAway: 1001,
  notText: 1003,
  policy: 1008,
  failed: 1011,
  tryLater: 1013,
} as const;

/** A closed connection that the other side does not confirm is cut after this time. */
export const closeMs = 2_000;
