export interface Limits {
  /** Whether the key has at least one call left in this minute; counts nothing. */
  has(key: string, perMinute: number): boolean;
  /** Counts one call. Throws 429 if none is left. */
  take(key: string, perMinute: number): void;
}
