// How long streams of results and of events are asked for again, and may be silent.

export const STREAM_PATIENCE_MS = 60_000;
/** The coordinator gives a sign of life every 15 s. */
export const STREAM_SILENCE_MS = 45_000;
