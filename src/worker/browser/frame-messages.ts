// The first message to the document of a sandboxed frame, and what it answers. After it the frame only
// answers its pulse: port and code belong to the one thread that it starts. Types only.

/** `window.postMessage(…, '*', [port])` by the page, once the frame has loaded. */
export interface FrameOrder {
  readonly type: 'start';
  /** Text of the program of the thread, bundled. The frame can fetch nothing. */
  readonly code: string;
  /** Transferred on to the thread as the only transferable of its first message. */
  readonly port: MessagePort;
  /** Whatever comes over it is answered by nothing but an answer: the frame is there. */
  readonly pulse?: MessagePort;
}

/** To the page, by `parent.postMessage(…, '*')`. The page compares `source` with the frame's window. */
export interface FrameFault {
  readonly type: 'frame_fault';
  /** The thread could not be started, or ended by an error that nothing caught. */
  readonly why: string;
}

/** From the frame to the thread: its first message, with the port. */
export interface ThreadOrder {
  readonly port: MessagePort;
}
