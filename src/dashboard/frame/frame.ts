// The script of the document in a sandboxed frame: starts the one thread that task code runs in, hands the
// port on to it, and does nothing afterwards but answer that it is there. The document is of no origin and can reach nothing.

import type { FrameFault, FrameOrder, ThreadOrder } from '../../worker/browser/frame-messages.ts';

// No policy of a browser closes this way out of a document; threads do not have it.
for (const name of Object.getOwnPropertyNames(globalThis)) {
  if (name.includes('RTC')) Reflect.deleteProperty(globalThis, name);
}

addEventListener('message', take);

function take({ source, data }: MessageEvent<FrameOrder>): void {
  if (source !== parent || data.type !== 'start') return;
  removeEventListener('message', take);
  try {
    const address = URL.createObjectURL(new Blob([data.code], { type: 'text/javascript' }));
    const thread = new Worker(address);
    thread.addEventListener('error', (event) => {
      event.preventDefault();
      tell(event.message || 'the thread could not be started');
    });
    const order: ThreadOrder = { port: data.port };
    thread.postMessage(order, [data.port]);
    const { pulse } = data;
    pulse?.addEventListener('message', () => pulse.postMessage(null));
    pulse?.start();
  } catch (error) {
    tell(String(error));
  }
}

function tell(why: string): void {
  const fault: FrameFault = { type: 'frame_fault', why };
  parent.postMessage(fault, '*');
}
