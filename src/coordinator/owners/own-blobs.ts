// Blobs as one owner knows them. Bytes that somebody else has put are stored once, and taken from this owner as if
// they were new: neither the answer nor the work tells that they were there. Who has sent all of them may see them.

import type { BlobReading } from '../../store/reading.ts';
import type { Blobs } from '../jobs/blobs.ts';
import type { JobQuotas } from '../jobs/job-quotas.ts';
import type { BlobPort, BlobUpload, StagedUpload, StoredBlob } from '../port/blobs.ts';

export interface OwnBlobsOptions {
  readonly store: Pick<BlobReading, 'isBlobOf'>;
  readonly blobs: Pick<Blobs, 'find' | 'receiveFrom' | 'receiveStagedFrom'>;
  /** Under which what is put is known. */
  readonly owner: string;
  /** What bounds what is put; absent: nothing. */
  readonly quotas?: JobQuotas | undefined;
}

export class OwnBlobs implements BlobPort {
  private readonly options: OwnBlobsOptions;

  constructor(options: OwnBlobsOptions) {
    this.options = options;
  }

  async find(sha256: string): Promise<StoredBlob | undefined> {
    return (await this.isKnown(sha256)) ? this.options.blobs.find(sha256) : undefined;
  }

  async receive(sha256: string): Promise<BlobUpload> {
    const { blobs, owner, quotas } = this.options;
    return blobs.receiveFrom(sha256, { owner, quotas }, await this.isKnown(sha256));
  }

  async receiveStaged(sha256: string): Promise<StagedUpload> {
    const { blobs, owner, quotas } = this.options;
    return blobs.receiveStagedFrom(sha256, { owner, quotas }, await this.isKnown(sha256));
  }

  protected isKnown(sha256: string): Promise<boolean> {
    return this.options.store.isBlobOf(sha256, this.options.owner);
  }
}
