/** The `ETag` of a record, derived from its `updated_at`. */
export function recordEtag(updatedAt: string): string {
  return `"${updatedAt}"`;
}
