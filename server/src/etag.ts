import { hash } from 'node:crypto';

/** The ETag of the whole response, which may show other records too; the record's `updated_at` comes first. */
export function recordEtag(updatedAt: string, body: string): string {
  return `"${updatedAt}_${hash('sha256', body, 'base64url').slice(0, 16)}"`;
}

/** Whether the `ETag` belongs to this version of the record, whatever the response showed of others. */
export function isOfVersion(etag: string, updatedAt: string): boolean {
  return etag === `"${updatedAt}"` || etag.startsWith(`"${updatedAt}_`);
}
