// The AsyncAPI 3 document of the workers' socket and of the event stream, made from the schemas
// that check the messages.

import { z } from 'zod';
import { protocolVersion } from '../protocol/messages.ts';
import type { Limits } from '../protocol/limits.ts';
import { coordinatorMessageSchemas } from '../protocol/schemas/coordinator-messages.ts';
import { eventSchemas } from '../protocol/schemas/events.ts';
import { workerMessageSchemas } from '../protocol/schemas/worker-messages.ts';
import { eventTypes } from '../coordinator/streams/wire-events.ts';
import { socketPath } from './app.ts';

type Schemas = Readonly<Record<string, z.ZodType>>;
type Messages = Readonly<Record<string, object>>;

const frames =
  'A frame is JSON text: one message or an array of messages. The first message of a worker is ' +
  '`hello`, and only the first, but for one that answers `greet`.';

export function asyncApiDocument(version: string, limits: Limits): object {
  const fromWorker = messagesOf(workerMessageSchemas(limits), (schema) => schema.description ?? '');
  const fromCoordinator = messagesOf(
    coordinatorMessageSchemas,
    (schema) => schema.description ?? '',
  );
  const events = messagesOf(eventSchemas, (_schema, name) => eventTypes[name as never]);
  // A worker and the event stream both have an `output`, and they are two messages.
  const ofSocket = (name: string) => (Object.hasOwn(events, name) ? `worker_${name}` : name);
  const socket = { ...fromWorker, ...fromCoordinator };
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Muster: messages',
      version,
      description: `Protocol ${protocolVersion}. ${frames} Keys that are not known are ignored.`,
    },
    defaultContentType: 'application/json',
    channels: {
      worker: {
        address: socketPath,
        description: `WebSocket of one worker. ${frames}`,
        messages: references(socket, ofSocket),
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      },
      events: {
        address: '/api/events',
        description: 'Server-Sent Events: `data` is the message, `event` its type.',
        messages: references(events, (name) => name),
      },
    },
    operations: {
      hearWorker: operation('receive', 'worker', fromWorker, 'What a worker says'),
      tellWorker: operation('send', 'worker', fromCoordinator, 'What the coordinator says'),
      tellEvents: operation('send', 'events', events, 'What has happened'),
    },
    components: { messages: { ...keyed(socket, ofSocket), ...events } },
  };
}

function messagesOf(
  schemas: Schemas,
  summary: (schema: z.ZodType, name: string) => string,
): Messages {
  const messages = Object.entries(schemas).map(([name, schema]) => [
    name,
    { name, title: name, summary: summary(schema, name), payload: jsonSchema(schema) },
  ]);
  return Object.fromEntries(messages) as Messages;
}

/** AsyncAPI uses draft 7 of JSON Schema. */
function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return rest;
}

function keyed(messages: Messages, keyOf: (name: string) => string): Messages {
  const entries = Object.entries(messages).map(([name, message]) => [keyOf(name), message]);
  return Object.fromEntries(entries) as Messages;
}

function references(messages: Messages, keyOf: (name: string) => string): Messages {
  const names = Object.keys(messages);
  const entries = names.map((name) => [name, { $ref: `#/components/messages/${keyOf(name)}` }]);
  return Object.fromEntries(entries) as Messages;
}

function operation(
  action: 'send' | 'receive',
  channel: string,
  messages: Messages,
  summary: string,
): object {
  return {
    action,
    summary,
    channel: { $ref: `#/channels/${channel}` },
    messages: Object.keys(messages).map((name) => ({
      $ref: `#/channels/${channel}/messages/${name}`,
    })),
  };
}
