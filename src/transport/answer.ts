// What is used of an answer: a `Response` is one, and so is what Node's own `http` gives, which costs a third.

export interface Answer extends Pick<Response, 'status' | 'ok' | 'type' | 'text' | 'arrayBuffer'> {
  readonly headers: Pick<Headers, 'get'>;
  readonly body: Response['body'];
  /** Reads it as text, piece by piece; where there is this, there is no `body`. */
  readonly texts?: () => TextReader;
}

export interface TextReader {
  read(): Promise<{ readonly done: boolean; readonly value?: string | undefined }>;
  /** Ends the connection, if there is more to come. */
  cancel(): Promise<void>;
}

/** Takes what `fetch` takes. */
export type Ask = (url: string, init: RequestInit) => Promise<Answer>;
