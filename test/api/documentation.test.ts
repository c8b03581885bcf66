import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer();
});
afterAll(() => live.close());

describe('"`GET /openapi.json` … valid OpenAPI 3.1, made from the same schemas"', () => {
  test('every operation says what it is for and what it answers', () => {
    const { openapi, paths } = live.document.document;
    expect(openapi).toBe('3.1.0');
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        expect(operation.summary, `${method} ${path}`).toBeTruthy();
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['403', '500']));
        for (const status of Object.keys(operation.responses)) {
          const content = operation.responses[status]!.content ?? {};
          for (const type of Object.keys(content)) {
            const pointer = ['paths', path, method, 'responses', status, 'content', type, 'schema'];
            live.document.validatorAt(pointer);
          }
        }
      }
    }
  });

  test('parameters of a path are required, and no schema is left over', () => {
    const text = JSON.stringify(live.document.document);
    for (const name of Object.keys(live.document.document.components.schemas)) {
      expect(text).toContain(`#/components/schemas/${name}`);
    }
    expect(text).not.toContain('"in":"path","name":"job_id","required":false');
  });

  test('a submission that the document allows is one that is taken', async () => {
    const validator = live.document.validatorAt([
      'paths',
      '/api/jobs',
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    ]);
    const program = { kind: 'javascript', source: 'export default () => 1' };
    const bodies: [object, number][] = [
      [{ program, inputs: [1] }, 201],
      [
        {
          program,
          inputs: { range: { start: 0, count: 2 } },
          priority: 3,
          checkpoint: { interval_seconds: 5 },
        },
        201,
      ],
      [{ program, inputs: [] }, 422],
      [{ program, inputs: [1], extra: 1 }, 422],
      [{ inputs: [1] }, 422],
    ];
    for (const [json, status] of bodies) {
      expect(validator(json)).toBe(status === 201);
      expect((await live.call('POST', '/api/jobs', { json })).status).toBe(status);
    }
  });

  test('docs/reference/rest.md names every operation, and no other', () => {
    const page = readFileSync(new URL('../../docs/reference/rest.md', import.meta.url), 'utf8');
    const told = [...page.matchAll(/^\| (GET|POST|PUT|DELETE) \| `(\/[^`?]*)/gm)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const published = Object.entries(live.document.document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const pages = ['GET /', 'GET /docs', 'GET /openapi.json', 'GET /api/workers/connect'];
    expect(told.sort()).toEqual([...published, ...pages].sort());
  });
});

describe('"`GET /` and `GET /docs`: 200 directly (no redirect, whatever `Accept`)"', () => {
  test.each(['/', '/docs'])('%s is a page that needs no other network', async (path) => {
    for (const accept of ['text/html', 'application/json', '*/*', 'image/png']) {
      const options = { headers: { accept }, redirect: 'manual' } as const;
      const response = await fetch(`${live.url}${path}`, options);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const html = await response.text();
      expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
      const policy = response.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      const files = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css|svg|png))"/g)];
      expect(files.length).toBeGreaterThan(1);
      for (const [, file] of files) {
        const part = await fetch(new URL(file!, `${live.url}${path}`));
        expect(`${file} ${part.status}`).toBe(`${file} 200`);
        await part.arrayBuffer();
      }
    }
  });
});
