import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// @ts-expect-error: it has no types.
import S3rver from 's3rver';
import { afterAll } from 'vitest';

/** Starts a server that speaks S3, with the bucket `files`. Returns its `OBJECT_STORAGE_URL`. Closed after the test file. */
export async function startS3Server(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chowk-s3-'));
  const buckets = [{ name: 'files' }];
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: buckets });
  const { port } = await server.run();
  afterAll(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });
  return `s3://S3RVER:S3RVER@127.0.0.1:${port}/files?tls=false`;
}
