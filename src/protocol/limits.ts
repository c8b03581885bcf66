// The limits of the interface with their defaults. Every one is a setting and is listed by the coordinator. A
// request that exceeds one is refused with its name: by 413 or 422 for its size, by 429 when there is too
// much at once.

/** Levels of JSON, counted from the outermost value. It is no setting: what is deeper is read nowhere. */
export const deepestNesting = 1000;

export interface Limits {
  /** A JSON request body. Larger jobs come as NDJSON, which is read as a stream. */
  readonly bodyBytes: number;
  /** Values and keys in a JSON body, its inputs and their priorities apart. */
  readonly bodyValues: number;
  readonly inputsPerJob: number;
  /** One input as JSON text; also one line of an NDJSON submission. */
  readonly inputBytes: number;
  /** The source of a program. */
  readonly programBytes: number;
  /** The module of a program, or all of its packages together. */
  readonly moduleBytes: number;
  /** The files of a program together. */
  readonly fileBytes: number;
  /** The value that all tasks of a job share. */
  readonly sharedBytes: number;
  readonly programArguments: number;
  /** One argument of a program, or a template of one. */
  readonly argumentBytes: number;
  readonly environmentVariables: number;
  /** Names and values of the environment of a program together. */
  readonly environmentBytes: number;
  /** One result as JSON text. */
  readonly resultBytes: number;
  /** The state of one checkpoint as JSON text. */
  readonly checkpointBytes: number;
  /** One blob: the largest input, result and state of a checkpoint that there can be. */
  readonly blobBytes: number;
  /** One frame on a worker's socket. */
  readonly frameBytes: number;
  /** What a frame or a report may hold beside its payloads, which are results and states. */
  readonly frameOutlineBytes: number;
  /** Values and keys of a frame or a report beside its payloads. */
  readonly frameOutlineValues: number;
  /** The first frame of a worker that is new, and the body of a registration. */
  readonly helloBytes: number;
  /** Names, labels, client ids, in characters. */
  readonly nameCharacters: number;
  readonly idempotencyKeyCharacters: number;
  readonly errorMessageCharacters: number;
  /** The frames of an error. */
  readonly errorStackCharacters: number;
  /** What one attempt printed; workers keep its beginning and its end, and so send less. */
  readonly outputCharacters: number;
  /** Stacks and printed text that are kept of one job. */
  readonly jobOutputCharacters: number;
  /** What the tasks of one worker print, as it is told live, a second; of all workers ten times as much. */
  readonly liveOutputCharacters: number;
  /** What an attempt says of itself beside its progress. */
  readonly progressMessageCharacters: number;
  readonly labelsPerWorker: number;
  readonly slotsPerWorker: number;
  readonly workers: number;
  /** What one worker tells of itself: name, labels and so on, as JSON text. */
  readonly workerBytes: number;
  /** All workers together that have not completed or failed a task yet. */
  readonly newcomerBytes: number;
  /** Memory for bodies and frames that are being read, of all senders together. */
  readonly inFlightBytes: number;
  /** Memory for answers that are made and not yet read, of all readers together. */
  readonly answerBytes: number;
  /**
   * Connections of all kinds that are open at the same time, some 30 KB each. A process that may have
   * fewer files open serves fewer.
   */
  readonly connections: number;
  /** Sockets that are open and have not said hello. */
  readonly handshakes: number;
  /**
   * Sockets that are open at the same time for one worker, whose token was checked by its hello. All
   * other sockets and streams are counted by the address they come from: this machine is one address,
   * and so is a network of IPv6 (/64).
   */
  readonly connectionsPerToken: number;
  /** Where tokens are asked for: connections on which no good one was shown yet. */
  readonly strangerConnections: number;
  /** Where tokens are asked for: handshakes of TLS that one address begins in a second. */
  readonly tlsHandshakes: number;
  /** The same: requests of one address in a minute that show no token. */
  readonly strangerRequests: number;
  /** The same: requests of one address in a minute whose token is not good. */
  readonly wrongTokens: number;
  /** The same: sessions of pages that one address asks for in a minute. */
  readonly logins: number;
  /** The same: workers that register from one address in a minute. */
  readonly registrations: number;
}

export const defaultLimits: Limits = {
  bodyBytes: 8 * 1024 * 1024,
  bodyValues: 10_000,
  inputsPerJob: 10_000_000,
  inputBytes: 1024 * 1024,
  programBytes: 2 * 1024 * 1024,
  moduleBytes: 64 * 1024 * 1024,
  fileBytes: 256 * 1024 * 1024,
  sharedBytes: 64 * 1024 * 1024,
  programArguments: 256,
  argumentBytes: 32 * 1024,
  environmentVariables: 64,
  environmentBytes: 32 * 1024,
  resultBytes: 1024 * 1024,
  checkpointBytes: 8 * 1024 * 1024,
  blobBytes: 64 * 1024 * 1024,
  frameBytes: 16 * 1024 * 1024,
  frameOutlineBytes: 4 * 1024 * 1024,
  frameOutlineValues: 100_000,
  helloBytes: 64 * 1024,
  nameCharacters: 200,
  idempotencyKeyCharacters: 255,
  errorMessageCharacters: 4000,
  errorStackCharacters: 4000,
  outputCharacters: 80 * 1024,
  jobOutputCharacters: 64 * 1024 * 1024,
  liveOutputCharacters: 64 * 1024,
  progressMessageCharacters: 1000,
  labelsPerWorker: 64,
  slotsPerWorker: 1024,
  workers: 200_000,
  workerBytes: 4096,
  newcomerBytes: 256 * 1024 * 1024,
  inFlightBytes: 256 * 1024 * 1024,
  answerBytes: 24 * 1024 * 1024,
  connections: 50_000,
  handshakes: 2_000,
  connectionsPerToken: 200_000,
  strangerConnections: 2_000,
  tlsHandshakes: 200,
  strangerRequests: 3_000,
  wrongTokens: 60,
  logins: 120,
  registrations: 1_000,
};

/** Below these something that everybody needs would not fit: a reference to a blob, a hello, one of each. */
export const leastLimits: Limits = {
  bodyBytes: 1024,
  bodyValues: 100,
  inputsPerJob: 1,
  inputBytes: 128,
  programBytes: 256,
  moduleBytes: 1024,
  fileBytes: 0,
  sharedBytes: 128,
  programArguments: 0,
  argumentBytes: 64,
  environmentVariables: 0,
  environmentBytes: 0,
  resultBytes: 128,
  checkpointBytes: 128,
  blobBytes: 1024,
  frameBytes: 64 * 1024,
  frameOutlineBytes: 64 * 1024,
  frameOutlineValues: 1000,
  helloBytes: 8 * 1024,
  nameCharacters: 16,
  idempotencyKeyCharacters: 16,
  errorMessageCharacters: 100,
  errorStackCharacters: 100,
  outputCharacters: 100,
  jobOutputCharacters: 0,
  liveOutputCharacters: 0,
  progressMessageCharacters: 16,
  labelsPerWorker: 1,
  slotsPerWorker: 1,
  workers: 1,
  workerBytes: 512,
  newcomerBytes: 64 * 1024,
  inFlightBytes: 1024 * 1024,
  answerBytes: 1024 * 1024,
  connections: 16,
  handshakes: 2,
  connectionsPerToken: 4,
  strangerConnections: 4,
  tlsHandshakes: 1,
  strangerRequests: 1,
  wrongTokens: 1,
  logins: 1,
  registrations: 1,
};
