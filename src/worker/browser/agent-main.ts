// The agent of a browser worker, as the program of a thread of its page.

import { createBrowserExecutor } from './browser-executor.ts';
import type { ToAgent } from './page-messages.ts';
import { startAgent } from './start-agent.ts';

const agent = startAgent((message) => self.postMessage(message), createBrowserExecutor);

self.addEventListener('message', ({ data }: MessageEvent<ToAgent>) => agent.hear(data));
self.addEventListener('error', ({ message }) => agent.fault(message));
self.addEventListener('unhandledrejection', ({ reason }) => agent.fault(String(reason)));
