// Answers an unknown path with 404, and a known path with the wrong method with 405 and `Allow`.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerError, noSuchPath } from './error-answers.ts';
import { Refusal } from './refusal.ts';

interface KnownPath {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/** Call before the first route is added: only routes that are added later are known. */
export function answerUnknownPaths(app: FastifyInstance): void {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method }) => {
    const path = paths.get(url) ?? { segments: url.split('/'), methods: new Set() };
    for (const each of [method].flat()) path.methods.add(each);
    paths.set(url, path);
  });
  app.setNotFoundHandler((request, reply) => {
    const segments = request.url.split('?', 1)[0]!.split('/');
    const known = [...paths.values()].filter((path) => isMatch(path.segments, segments));
    // A known path with the right method: the file behind a wildcard does not exist.
    if (known.every(({ methods }) => methods.has(request.method))) {
      return answerError(new Refusal('not_found', noSuchPath(request)), request, reply);
    }
    refuseMethod(known, request, reply);
  });
}

function refuseMethod(known: KnownPath[], request: FastifyRequest, reply: FastifyReply): void {
  const methods = new Set(known.flatMap((path) => [...path.methods]));
  const allowed = [...methods].sort().join(', ');
  reply.header('allow', allowed);
  const detail = `${request.method} is not possible here; this address takes ${allowed}.`;
  answerError(new Refusal('method_not_allowed', detail), request, reply);
}

function isMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  for (let i = 0; i < pattern.length; i++) {
    const wanted = pattern[i]!;
    if (wanted === '*') return true;
    const given = segments[i];
    if (given === undefined) return false;
    if (wanted.startsWith(':') ? given === '' : wanted !== given) return false;
  }
  return pattern.length === segments.length;
}
