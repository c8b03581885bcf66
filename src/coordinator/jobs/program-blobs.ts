// How much the blobs are that the program of a job names, and the value that its tasks share.

import type { Limits } from '../../protocol/limits.ts';
import { payloadReferenceOf } from '../../protocol/blob-reference.ts';
import { blobsNamedBy, type NamedBlob } from '../../protocol/program.ts';
import type { Submission } from '../port/jobs.ts';
import type { Rejection } from '../port/rejection.ts';

type Refused = Rejection<'validation_failed'> | undefined;

/** Why they are too much. A blob that is named twice counts twice: so the device has it. */
export async function refuseLargeProgram(
  { program, shared = '' }: Pick<Submission, 'program' | 'shared'>,
  { moduleBytes, fileBytes, sharedBytes }: Limits,
  sizeOf: (sha256: string) => Promise<number | undefined>,
): Promise<Refused> {
  const named = blobsNamedBy(program);
  const isFile = ({ place }: NamedBlob) => place.startsWith('files');
  const sum = async (some: readonly NamedBlob[]) => {
    let bytes = 0;
    for (const { sha256 } of some) bytes += (await sizeOf(sha256)) ?? 0;
    return bytes;
  };
  const code = await sum(named.filter((each) => !isFile(each)));
  if (code > moduleBytes) {
    const what =
      program.kind === 'python' ? 'The packages of the program have' : 'program.module has';
    return tooLarge(`${what} ${code} bytes, and may have ${moduleBytes} (limit module_bytes).`);
  }
  const files = await sum(named.filter(isFile));
  if (files > fileBytes) {
    return tooLarge(
      `The files of the program have ${files} bytes together, and may have ${fileBytes} (limit file_bytes).`,
    );
  }
  const ofShared = payloadReferenceOf(shared);
  const bytes = ofShared === undefined ? 0 : ((await sizeOf(ofShared.sha256)) ?? 0);
  if (bytes <= sharedBytes) return undefined;
  return tooLarge(`shared has ${bytes} bytes, and may have ${sharedBytes} (limit shared_bytes).`);
}

function tooLarge(detail: string): Refused {
  return { code: 'validation_failed', detail };
}
