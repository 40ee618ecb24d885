/** A cache shared by all tenants. Entries may be lost or slightly stale. */
export interface SystemCache {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown, seconds: number): Promise<void>;
  delete(key: string): Promise<void>;
}
