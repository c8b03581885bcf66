// One request that is passed on to the leader: held while there is none, sent again where that is safe, and
// answered with what the leader answers. What may have been carried out is sent again only if it changes nothing.

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { LeaderPlace } from '../../cluster/port.ts';
import { unknownOutcome } from '../error-answers.ts';
import { ClientGone, Refusal } from '../refusal.ts';
import type { Holding } from './holding.ts';
import { askLeader, type Tried } from './leader-ask.ts';
import type { LeaderLines } from './leader-lines.ts';
import type { PassedBody } from './passed-body.ts';

/** What is read of an answer 503, to see whether it says that nothing was begun. */
const mostRefusalBytes = 8 * 1024;
/** Between two tries at one leader. */
const pauseMs = 200;

export const noLeader =
  'No coordinator of this cluster leads at the moment, or none that is reached from here, and nothing was done; ' +
  'try again in a moment.';

const nothingKept =
  'Another coordinator of the cluster took over while this was sent, and nothing of it was kept; send it again.';

type Answered = Extract<Tried, { is: 'answered' | 'upgraded' }>;

export type Passed =
  /** The answer of the leader; `text`: its body, where it was read already. */
  | (Answered & {
      readonly upstream: ClientRequest;
      readonly term: string;
      readonly text: Buffer | null;
      /** Must be called when the answer has ended. */
      readonly end: () => void;
    })
  /** This member has become the leader, and nothing of the request was sent: it serves it itself. */
  | { readonly is: 'ours' };

export interface PassedOptions {
  readonly reply: FastifyReply;
  readonly method: string;
  readonly path: string;
  /** Made anew for each try. */
  readonly headers: () => string[];
  readonly body: PassedBody;
  readonly lines: LeaderLines;
  readonly holding: Holding;
  /** The leader, another or this very one; null while there is none. */
  readonly place: () => LeaderPlace | null;
  /** This member leads by now. */
  readonly leads: () => boolean;
}

export class PassedRequest {
  readonly #options: PassedOptions;
  #upstream: ClientRequest | null = null;
  #isGone = false;
  /** Of the first failure since a leader took the body, which may take hours. */
  #deadline: number | null = null;

  constructor(options: PassedOptions) {
    this.#options = options;
    options.reply.raw.once('close', () => {
      this.#isGone = true;
      this.#upstream?.destroy();
    });
  }

  /** Throws a `Refusal`, or `ClientGone`. */
  async passed(): Promise<Passed> {
    for (;;) {
      const { body, leads, place } = this.#options;
      if (this.#isGone) throw new ClientGone();
      if (leads() && body.isUntouched) return { is: 'ours' };
      const leader = place();
      if (leader === null) await this.#hold(undefined);
      else {
        const found = await this.#try(leader);
        if (found !== null) return found;
        await this.#hold(leader.term);
      }
    }
  }

  /** Null when it may be tried again. */
  async #try({ term, ...rest }: LeaderPlace): Promise<Passed | null> {
    const { lines, method, path, headers, body } = this.#options;
    const asked = askLeader(lines.to({ term, ...rest }), {
      method,
      path,
      headers: headers(),
      body,
    });
    const { upstream } = asked;
    this.#upstream = upstream;
    // It takes what is staged.
    upstream.once('information', () => (this.#deadline = null));
    const cut = () => upstream.destroy(new Error('another member leads'));
    const end = lines.open({ term, cut });
    const tried = await asked.tried;
    if (this.#isGone) {
      end();
      upstream.destroy();
      throw new ClientGone();
    }
    if (body.failure !== null) {
      end();
      throw body.failure;
    }
    const isHarmless = changesNothing(method) || body.isUnfinished;
    if (tried.is === 'answered' || tried.is === 'upgraded') {
      const text = tried.is === 'answered' ? await refusalOf(tried.answer) : null;
      if (text === null || !mayRepeat(text, isHarmless) || !body.isKept) {
        return { ...tried, upstream, term, end, text };
      }
      end();
      body.stop();
      if (!upstream.writableFinished) upstream.destroy();
      return null;
    }
    end();
    if (tried.is === 'not_begun') return null;
    if (!isHarmless || !body.isKept) {
      throw new Refusal('leader_changed', body.isUnfinished ? nothingKept : unknownOutcome);
    }
    return null;
  }

  async #hold(past: string | undefined): Promise<void> {
    const { holding } = this.#options;
    this.#deadline ??= performance.now() + holding.mostMs;
    const leftMs = this.#deadline - performance.now();
    const isHeld =
      leftMs > 0 &&
      (await holding.wait(past === undefined ? leftMs : Math.min(leftMs, pauseMs), past));
    if (!isHeld) throw new Refusal('shutting_down', noLeader);
  }
}

/** The body of an answer that may say that nothing was begun; null for any other, which is not touched. */
async function refusalOf(answer: IncomingMessage): Promise<Buffer | null> {
  const length = Number(answer.headers['content-length']);
  if (answer.statusCode !== 503 || !(length <= mostRefusalBytes)) return null;
  const pieces: Buffer[] = [];
  try {
    for await (const piece of answer) pieces.push(piece as Buffer);
  } catch {
    // It broke off, and is told as it is: the client's connection ends too.
  }
  return Buffer.concat(pieces);
}

/** Nothing was begun; or it was, but changes nothing. */
function mayRepeat(text: Buffer, isHarmless: boolean): boolean {
  let code: unknown;
  try {
    ({ code } = JSON.parse(text.toString()) as { readonly code?: unknown });
  } catch {
    return false;
  }
  return code === 'shutting_down' || (code === 'leader_changed' && isHarmless);
}

function changesNothing(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
