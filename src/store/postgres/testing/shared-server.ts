// One server for all tests of a run: started before the first, ended after the last.

import type { TestProject } from 'vitest/node';
import { makeServer } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await makeServer();
  project.provide('postgresUrl', server.url);
  return () => server.remove();
}
