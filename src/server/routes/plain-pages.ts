// The page at `/join` and what stands beside it: files of the dashboard room, read once, served as they are.

import { readFileSync } from 'node:fs';
import type { App } from '../app.ts';
import { noSuchPath } from '../error-answers.ts';
import { Refusal } from '../refusal.ts';

const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const files = [
  { url: '/login.css', file: 'login.css', folder: 'login', type: 'text/css; charset=utf-8' },
  { url: '/login.js', file: 'login.js', folder: 'login', type: 'text/javascript; charset=utf-8' },
  { url: '/join/page.css', file: 'page.css', folder: 'join', type: 'text/css; charset=utf-8' },
  { url: '/join', file: 'join.html', folder: 'join', type: 'text/html; charset=utf-8' },
  { url: '/join.css', file: 'join.css', folder: 'join', type: 'text/css; charset=utf-8' },
  { url: '/join.js', file: 'join.js', folder: 'join', type: 'text/javascript; charset=utf-8' },
  { url: '/favicon.svg', file: 'favicon.svg', folder: 'icon', type: 'image/svg+xml' },
] as const satisfies readonly PageFile[];

interface PageFile {
  readonly url: string;
  readonly file: string;
  readonly folder: PageFolder;
  readonly type: string;
}

type PageFolder = 'icon' | 'docs' | 'login' | 'join';

export function addPlainPages(app: App): void {
  for (const { url, file, folder, type } of files as readonly PageFile[]) {
    const content = pageFile(file, folder);
    app.get(url, { config: { access: 'anybody' }, schema: { hide: true } }, (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', 'no-cache')
        .header('content-security-policy', contentPolicy)
        .send(content),
    );
  }
}

/** Some programs that pass links on write `%23` for the `#`, and then what stands behind it is asked for. */
export function mendMangledLinks(app: App): void {
  // The router looks at decoded addresses, and knows no `#` in those of routes.
  app.get(
    '/join:rest',
    { config: { access: 'anybody' }, schema: { hide: true } },
    (request, reply) => {
      const [, parts = ''] = /^\/join%23(.*)$/.exec(request.url) ?? [];
      const fragment = parts.replaceAll(/%3d/gi, '=').replaceAll('%26', '&');
      if (!/^[\w.&=-]+$/.test(fragment)) throw new Refusal('not_found', noSuchPath(request));
      return reply.header('cache-control', 'no-store').redirect(`/join#${fragment}`, 302);
    },
  );
}

export function pageFile(name: string, folder: PageFolder): string {
  return readFileSync(new URL(`../../dashboard/${folder}/${name}`, import.meta.url), 'utf8');
}
