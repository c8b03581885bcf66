// The frames in which tasks run, made and removed on order of the agent. Each is a document of no origin that
// holds one thread; the page hands it the thread's program and a port to the agent, and has no part in what
// they say.

import type { FrameFault, FrameOrder } from '../../worker/browser/frame-messages.ts';
import type { FromAgent, ToAgent } from '../../worker/browser/page-messages.ts';

export interface FramesOptions {
  /** Address of the document of a frame. */
  readonly address: string;
  /** Text of the program of the threads, fetched once. */
  readonly code: () => Promise<string>;
  readonly tellAgent: (message: ToAgent, ports: readonly MessagePort[]) => void;
}

type FrameMessage = Extract<FromAgent, { readonly type: 'open_frame' | 'close_frame' }>;

export class Frames {
  readonly #options: FramesOptions;
  readonly #frames = new Map<number, HTMLIFrameElement>();
  /** Messages of each. */
  readonly #heard = new Map<number, number>();
  #code: Promise<string> | null = null;

  constructor(options: FramesOptions) {
    this.#options = options;
    addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
      const id = source === null ? undefined : this.#idOf(source);
      if (id === undefined) return;
      const heard = (this.#heard.get(id) ?? 0) + 1;
      this.#heard.set(id, heard);
      if (isFault(data)) this.#fail(id, data.why);
      else if (heard > heardLimit) this.#fail(id, 'Its frame is too loud.');
    });
  }

  heard({ type, id }: FrameMessage): void {
    if (type === 'close_frame') this.#close(id);
    else void this.#open(id);
  }

  /** The agent has ended: nobody would order their end any more. */
  closeAll(): void {
    for (const id of this.#frames.keys()) this.#close(id);
  }

  async #open(id: number): Promise<void> {
    const frame = document.createElement('iframe');
    this.#frames.set(id, frame);
    try {
      const code = await this.#fetchedCode();
      await this.#loaded(frame);
      // It may have been closed meanwhile.
      if (this.#frames.get(id) !== frame || frame.contentWindow === null) return;
      const [talk, beat] = [new MessageChannel(), new MessageChannel()];
      const order: FrameOrder = { type: 'start', code, port: talk.port2, pulse: beat.port2 };
      // The frame has no origin that could be named.
      frame.contentWindow.postMessage(order, '*', [talk.port2, beat.port2]);
      const [port, pulse] = [talk.port1, beat.port1];
      this.#options.tellAgent({ type: 'frame_opened', id, port, pulse }, [port, pulse]);
    } catch (error) {
      if (this.#frames.get(id) === frame) this.#fail(id, String(error));
    }
  }

  #fetchedCode(): Promise<string> {
    this.#code ??= this.#options.code().catch((error: unknown) => {
      // The next frame tries again.
      this.#code = null;
      throw error;
    });
    return this.#code;
  }

  #loaded(frame: HTMLIFrameElement): Promise<void> {
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.setAttribute('allow', '');
    // Without what the browser keeps for this origin, where the browser knows how.
    frame.setAttribute('credentialless', '');
    frame.setAttribute('aria-hidden', 'true');
    frame.hidden = true;
    frame.tabIndex = -1;
    return new Promise((resolve) => {
      frame.addEventListener('load', () => resolve(), { once: true });
      frame.src = this.#options.address;
      document.body.append(frame);
    });
  }

  #idOf(source: MessageEventSource): number | undefined {
    for (const [id, frame] of this.#frames) if (frame.contentWindow === source) return id;
    return undefined;
  }

  #fail(id: number, why: string): void {
    this.#close(id);
    this.#options.tellAgent({ type: 'frame_failed', id, why: why.slice(0, whyLimit) }, []);
  }

  #close(id: number): void {
    this.#frames.get(id)?.remove();
    this.#frames.delete(id);
    this.#heard.delete(id);
  }
}

const whyLimit = 1000;
/** What extensions of the browser put into every document may speak too; a flood would keep the page busy. */
const heardLimit = 1000;

function isFault(data: unknown): data is FrameFault {
  if (typeof data !== 'object' || data === null) return false;
  const { type, why } = data as Partial<FrameFault>;
  return type === 'frame_fault' && typeof why === 'string';
}
