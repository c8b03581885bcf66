// The page at `/`: four files of the dashboard room, read once, served as they are.

import { readFileSync } from 'node:fs';
import type { App } from '../app.ts';

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
  { url: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { url: '/status.css', file: 'status.css', type: 'text/css; charset=utf-8' },
  { url: '/status.js', file: 'status.js', type: 'text/javascript; charset=utf-8' },
  { url: '/favicon.svg', file: 'favicon.svg', type: 'image/svg+xml' },
] as const;

export function addStatusPage(app: App): void {
  for (const { url, file, type } of files) {
    const content = pageFile(file);
    app.get(url, { schema: { hide: true } }, (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', 'no-cache')
        .header('content-security-policy', contentPolicy)
        .send(content),
    );
  }
}

export function pageFile(name: string, folder: 'status' | 'docs' = 'status'): string {
  return readFileSync(new URL(`../../dashboard/${folder}/${name}`, import.meta.url), 'utf8');
}
