// The token that a request carries: `Authorization: Bearer …`.

import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** The token; null when the request has none. */
function bearerToken(request: FastifyRequest): string | null {
  return bearer.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/** The token. Throws a `Refusal` when the request has none. */
export function neededToken(request: FastifyRequest): string {
  const token = bearerToken(request);
  if (token !== null) return token;
  throw missingToken();
}

export function missingToken(): Refusal {
  const detail =
    'This call needs the header "Authorization: Bearer <worker_token>" with the token that the ' +
    'registration (POST /api/workers) has answered.';
  return new Refusal('unauthorized', detail);
}
