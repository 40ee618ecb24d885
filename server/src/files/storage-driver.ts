import { join } from 'node:path';
import { FSDriver } from 'flydrive/drivers/fs';
import type { DriverContract } from 'flydrive/types';
import type { Config } from '../config/config.ts';
import { readObjectStorageUrl } from '../config/object-storage-url.ts';
import { fail } from '../errors.ts';

export interface Storage {
  readonly driver: DriverContract;
  /** The storage serves signed links itself. */
  readonly signsLinks: boolean;
}

/** The folder `files` under `STORAGE_PATH` or, with `OBJECT_STORAGE_URL`, a bucket. */
export async function openFileStorage({ objectStorageUrl, storagePath }: Config): Promise<Storage> {
  if (objectStorageUrl !== undefined) return { driver: await openBucket(objectStorageUrl), signsLinks: true };
  return { driver: new FSDriver({ location: join(storagePath, 'files'), visibility: 'private' }), signsLinks: false };
}

/** Loads the S3 client only if it is used. */
export async function openBucket(url: string): Promise<DriverContract> {
  const { bucket, ...connection } = readObjectStorageUrl(url);
  const { S3Driver } = await import('flydrive/drivers/s3');
  return new S3Driver({
    ...connection,
    bucket,
    visibility: 'private',
    supportsACL: false,
    forcePathStyle: true,
    // Not all servers know the checksums that the client sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000 },
  });
}

/** Resolves to the result of a driver; its errors become failures that callers understand. */
export async function fromStorage<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (cause) {
    const { code, $metadata } = (cause ?? {}) as { code?: unknown; $metadata?: { httpStatusCode?: number } };
    const isMissing = code === 'ENOENT' || $metadata?.httpStatusCode === 404;
    throw isMissing ? fail('files.not_found') : fail('files.unavailable', {}, { cause });
  }
}
