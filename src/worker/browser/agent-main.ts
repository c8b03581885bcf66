// The agent of a browser worker, as the program of a thread of its page.

import { createBrowserExecutor } from './browser-executor.ts';
import type { ToAgent } from './page-messages.ts';
import { startAgent } from './start-agent.ts';

const agent = startAgent((message) => self.postMessage(message), createBrowserExecutor);

self.onmessage = ({ data }: MessageEvent<ToAgent>) => agent.hear(data);
self.onerror = (event) => agent.fault(String(event instanceof ErrorEvent ? event.message : event));
self.onunhandledrejection = ({ reason }) => agent.fault(String(reason));
