// Blobs: bytes that are stored under their SHA-256. They pass in parts and are never in memory as a
// whole.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BlobUpload, StagedUpload, StoredBlob } from '../../coordinator/port/blobs.ts';
import type { DiskRoom } from '../../coordinator/port/disk-room.ts';
import { blobSchema } from '../../protocol/schemas/resources.ts';
import { json, refused } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import type { OpenAnswer } from '../open-answers.ts';
import { refuseWithoutRoom } from '../pressure.ts';
import { accepted, ClientGone, Refusal, shown, unknownBlob } from '../refusal.ts';
import { BodyPace, leastBodyRate } from '../body-pace.ts';
import { bodyPieces, discardRest, refuseEncoded } from '../request-body.ts';
import { isStaged, receiptsOf, sayTaken, stagedHeader } from '../staged-receipts.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['blobs'];
const binaryType = 'application/octet-stream';
const hash = /^[0-9a-f]{64}$/;
/** The bytes of a blob never change. */
const forEver = 'private, max-age=31536000, immutable';

/** As the coordinator says it. */
const removedMeanwhile = 'The blob was removed while it was sent; send it again.';

const params = z.object({
  // Read as text: where it is only looked for, another form is one that is not there.
  sha256: z.string().meta({
    pattern: hash.source,
    description: 'SHA-256 of the bytes: 64 hexadecimal digits in lower case',
  }),
});

export function addBlobRoutes(
  app: App,
  { coordinator, callers, limits, openAnswers, audit, disk }: RouteContext,
): void {
  app.put(
    '/api/blobs/:sha256',
    {
      config: {
        access: 'blobs',
        readsBody: true,
        bringsData: true,
        stagesBody: 'bytes',
        audit: 'blob.put',
      },
      schema: {
        tags,
        operationId: 'uploadBlob',
        summary: 'Upload a blob',
        description:
          'The body is the bytes, of whatever content type. Inputs of jobs refer to a blob as ' +
          '`{"$blob": "<sha256>"}`; one that nothing refers to is removed after an hour, unless it ' +
          'is uploaded again.',
        params,
        body: z.unknown(),
        response: {
          201: json(blobSchema, 'It is new, and durable'),
          200: json(blobSchema, 'It was there already'),
          ...refused(
            [
              'not_found',
              'validation_failed',
              'payload_too_large',
              'request_timeout',
              'overloaded',
              'disk_full',
            ],
            {
              validation_failed: notAName('report.csv'),
              payload_too_large: tooLarge(limits.blobBytes),
              overloaded: new Refusal('overloaded', removedMeanwhile),
            },
          ),
        },
      },
    },
    async (request, reply) => {
      const { sha256 } = request.params;
      refuseEncoded(request);
      try {
        if (!hash.test(sha256)) throw notAName(sha256);
        const isElsewhere = isStaged(request, callers);
        refuseAnnounced(request, isElsewhere, limits.blobBytes);
        const { blobs } = portsOf(coordinator, request);
        const { sizeBytes, isNew } = isElsewhere
          ? await receivedElsewhere(request, reply, await blobs.receiveStaged(sha256), disk)
          : await received(request, await blobs.receive(sha256), disk);
        audit.done(request);
        reply.code(isNew ? 201 : 200);
        return { sha256, size_bytes: sizeBytes };
      } catch (error) {
        discardRest(request.raw);
        throw error;
      }
    },
  );

  app.get(
    '/api/blobs/:sha256',
    {
      config: { access: 'blobs', fromStore: true },
      schema: {
        tags,
        operationId: 'downloadBlob',
        summary: 'The bytes of a blob',
        description: 'They never change: keep them as long as you like. `ETag` is their hash.',
        params,
        response: {
          200: { description: 'The bytes', content: { [binaryType]: { schema: bytesSchema } } },
          304: z.null().describe('You have them: `If-None-Match` was their `ETag`'),
          ...refused(['unknown_blob']),
        },
      },
    },
    async (request, reply) => {
      const { sha256 } = request.params;
      const answer = openAnswers.open(request, reply);
      const { blobs } = portsOf(coordinator, request);
      const blob = hash.test(sha256) ? await blobs.find(sha256) : undefined;
      if (blob === undefined) throw unknownBlob(sha256);
      return sendBlob(request, reply, sha256, blob, answer);
    },
  );
}

const bytesSchema = z.string().meta({ format: 'binary' });

function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  sha256: string,
  blob: StoredBlob,
  answer: OpenAnswer,
): FastifyReply {
  const etag = `"${sha256}"`;
  reply.header('etag', etag).header('cache-control', forEver);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  reply.type(binaryType).header('content-length', blob.sizeBytes);
  return request.method === 'HEAD' ? reply.send(Readable.from([])) : answer.sendBytes(blob.parts());
}

async function received(request: FastifyRequest, upload: BlobUpload, disk: DiskRoom | undefined) {
  try {
    for await (const piece of bodyPieces(request.raw, leastBodyRate)) {
      // There was room when it began; many that were begun then could fill the disk.
      if (disk !== undefined) refuseWithoutRoom(request, disk);
      accepted(await upload.append(piece));
    }
    return accepted(await upload.finish());
  } finally {
    upload.abandon();
  }
}

/** The same by the receipts of the member that has the bytes. */
async function receivedElsewhere(
  request: FastifyRequest,
  reply: FastifyReply,
  upload: StagedUpload,
  disk: DiskRoom | undefined,
) {
  try {
    sayTaken(reply.raw, !upload.isKnown);
    for await (const receipt of receiptsOf(request.raw)) {
      if (disk !== undefined) refuseWithoutRoom(request, disk);
      if (receipt[0] === 'slow') throw new BodyPace(leastBodyRate).tooSlow();
      if (receipt[0] === 'arrived') {
        accepted(upload.arrived(receipt[1]));
        continue;
      }
      const [, actual, bytes, staged] = receipt;
      accepted(upload.arrived(bytes));
      return accepted(await upload.finish(actual, staged));
    }
    throw new ClientGone('The member that has the bytes went away.');
  } finally {
    upload.abandon();
  }
}

/** Refuses an upload at once if its announced length is over the limit. */
function refuseAnnounced(
  { headers }: FastifyRequest,
  isElsewhere: boolean,
  limitBytes: number,
): void {
  const announced = Number(headers[isElsewhere ? stagedHeader : 'content-length']);
  if (!(announced > limitBytes)) return;
  throw tooLarge(limitBytes);
}

function tooLarge(limitBytes: number): Refusal {
  const detail = `The blob is larger than ${limitBytes} bytes (limit blob_bytes).`;
  return new Refusal('payload_too_large', detail);
}

function notAName(name: string): Refusal {
  const message = 'must be the SHA-256 of the body: 64 hexadecimal digits in lower case';
  const detail = `The name of a blob ${message}; ${shown(name)} was given.`;
  return new Refusal('validation_failed', detail, [{ path: 'sha256', message }]);
}
