// What of a `hello` is not read, in sentences for whoever writes a worker. Keys that are not known are
// ignored, so that a newer worker can talk to an older coordinator; but most of them are mistakes.

import type { DeviceDescription, HelloMessage } from '../../protocol/messages.ts';

const helloFields: Readonly<Record<keyof HelloMessage, true>> = {
  type: true,
  protocol: true,
  worker_id: true,
  worker_token: true,
  device: true,
  telemetry: true,
  attempts: true,
  programs: true,
  draining: true,
  rest: true,
  instance: true,
  connection: true,
  greeting: true,
};
const deviceFields: Readonly<Record<keyof DeviceDescription, true>> = {
  name: true,
  type: true,
  platform: true,
  slots: true,
  kinds: true,
  runtimes: true,
  hands: true,
  labels: true,
  isolation: true,
  version: true,
  lease_seconds: true,
  task_memory_mb: true,
};
const mostWarnings = 20;
const longestName = 60;

/** `measured`: the warnings about its telemetry. */
export function helloWarnings(message: HelloMessage, measured: readonly string[]): string[] {
  return [
    ...ignored(message.device, deviceFields, (name) =>
      name === 'telemetry'
        ? 'device.telemetry is not read here: telemetry stands beside device.'
        : `device.${name} is not a known field; ignored.`,
    ),
    ...ignored(message, helloFields, (name) => `${name} is not a known field of hello; ignored.`),
    ...measured,
  ].slice(0, mostWarnings);
}

function ignored(
  object: object,
  known: Readonly<Record<string, true>>,
  sentence: (name: string) => string,
): string[] {
  const sentences: string[] = [];
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(known, name)) continue;
    sentences.push(sentence(name.slice(0, longestName)));
    if (sentences.length === mostWarnings) break;
  }
  return sentences;
}
