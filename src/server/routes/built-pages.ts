// The dashboard, the page with which a browser works, its agent, and the frame in which tasks run: files that
// were built before, public like the other pages. While they are being built a page says so and tries again by itself.

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { appPaths, type PageFile, pageFiles, partsFolder } from '../../pages/page-files.ts';
import type { BuiltPage, BuiltPages } from '../../pages/read-pages.ts';
import type { App } from '../app.ts';
import type { Callers } from '../callers.ts';
import { chooseEncoding } from '../content-encoding.ts';
import { addVary } from '../cross-origin.ts';
import { noSuchPath } from '../error-answers.ts';
import { frameHeaders, pagePolicy } from '../page-policies.ts';
import { Refusal } from '../refusal.ts';

/** The pages that are there by now; asked at every request. */
export interface ServedPages {
  /** Null while they are not there. */
  readonly pages: BuiltPages | null;
  /** Why they cannot be had. */
  readonly fault: Error | null;
}

const none: ServedPages = { pages: null, fault: new Error('this server has no pages') };
const retrySeconds = 2;
/** Reloading keeps what stands behind the # of a link. */
const retryScript = `setTimeout(() => location.reload(), ${retrySeconds * 1_000})`;
const style = 'body{font:1rem/1.5 system-ui,sans-serif;margin:2rem}';
const missing =
  'The pages for browsers are not there: they could not be built, and the log of the coordinator says why.';

const root = '/';

/** `served`: null for a server that has none; then there is still an answer where the dashboard would be. */
export function addBuiltPages(app: App, served: ServedPages | null, callers: Callers): void {
  const options = { config: { access: 'anybody' }, schema: { hide: true } } as const;
  const answer = (file: PageFile, request: FastifyRequest, reply: FastifyReply) => {
    const { pages, fault } = served ?? none;
    const page = pages?.files.find(({ url }) => url === file.url);
    if (pages === null || page === undefined) return answerUnbuilt(file, fault, reply);
    setPolicy(pages, page, request, reply, callers);
    return sendPage(page, request, reply);
  };
  for (const file of pageFiles) {
    if (served === null && file.url !== root) continue;
    const paths = file.url === root ? [root, ...appPaths] : [file.url];
    for (const path of paths) {
      app.get(path, options, (request, reply) => answer(file, request, reply));
    }
  }
  app.get(`${partsFolder}*`, options, (request, reply) => {
    const [path] = request.url.split('?', 1);
    const page = served?.pages?.files.find(({ url }) => url === path);
    if (page === undefined) throw new Refusal('not_found', noSuchPath(request));
    return sendPage(page, request, reply);
  });
}

function setPolicy(
  { frameScript }: BuiltPages,
  { policy, url, styles }: BuiltPage,
  request: FastifyRequest,
  reply: FastifyReply,
  callers: Callers,
): void {
  if (policy === 'frame') reply.headers(frameHeaders(frameScript));
  if (policy === 'page') {
    const { scheme, host } = callers.of(request.raw);
    reply.header('content-security-policy', pagePolicy(scheme, host, styles));
  }
  // It lies below of what it serves.
  if (url === '/worker/sw.js') reply.header('service-worker-allowed', '/worker');
}

function sendPage(page: BuiltPage, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { 'accept-encoding': accepted, 'if-none-match': known } = request.headers;
  const names = page.encoded.map(({ encoding }) => encoding);
  const chosen = chooseEncoding(accepted, names);
  const body = page.encoded.find(({ encoding }) => encoding === chosen);
  const mark = `"${page.hash.slice(0, 32)}${chosen === null ? '' : `-${chosen}`}"`;
  addVary(reply, 'accept-encoding');
  // Most names stay the same from version to version.
  const keeping = page.isLasting ? 'public, max-age=31536000, immutable' : 'no-cache';
  reply.header('cache-control', keeping).header('etag', mark);
  if (known !== undefined && isKnown(known, mark)) return reply.code(304).send();
  if (body !== undefined) reply.header('content-encoding', body.encoding);
  return reply.type(page.type).send(body?.content ?? page.content);
}

function isKnown(known: string, mark: string): boolean {
  return known.split(',').some((each) => {
    const one = each.trim();
    return one === '*' || one.replace(/^W\//, '') === mark;
  });
}

function answerUnbuilt(
  { type, policy, url }: PageFile,
  fault: Error | null,
  reply: FastifyReply,
): FastifyReply {
  const isDocument = policy !== undefined && type.startsWith('text/html');
  if (!isDocument) {
    throw fault === null
      ? new Refusal('busy', 'The pages for browsers are being built; try again in a moment.')
      : new Refusal('not_found', missing);
  }
  // At the root there is a page from the first moment on.
  reply
    .code(url === root ? 200 : 503)
    .type(type)
    .header('cache-control', 'no-store');
  if (fault === null) reply.header('retry-after', String(retrySeconds));
  const policyText =
    `default-src 'none'; script-src ${hashOf(retryScript)}; style-src ${hashOf(style)}; ` +
    `base-uri 'none'; form-action 'none'; frame-ancestors ${policy === 'frame' ? "'self'" : "'none'"}`;
  return reply.header('content-security-policy', policyText).send(unbuiltDocument(fault === null));
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function unbuiltDocument(isComing: boolean): string {
  const sentence = isComing
    ? 'This page is made ready for its first visitor: a few seconds. It comes by itself.'
    : missing;
  const script = isComing ? `<script>${retryScript}</script>` : '';
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    '<meta name="color-scheme" content="light dark">' +
    `<title>Muster</title><style>${style}</style><p>${sentence}</p>${script}</html>\n`
  );
}
