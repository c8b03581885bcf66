// What is done when an answer begins, in one hook for all. An answer that is written past the framework, whose hooks
// do not see it, runs it itself.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from './app.ts';

/** Must not throw. */
export type StartStep = (request: FastifyRequest, reply: FastifyReply) => void;

export class AnswerStart {
  readonly #steps: StartStep[] = [];

  add(step: StartStep): void {
    this.#steps.push(step);
  }

  attach(app: App): void {
    app.addHook('onSend', (request, reply, payload, done) => {
      this.run(request, reply);
      done(null, payload);
    });
  }

  /** Once for each answer, before its first byte. */
  run(request: FastifyRequest, reply: FastifyReply): void {
    for (const step of this.#steps) step(request, reply);
  }
}
