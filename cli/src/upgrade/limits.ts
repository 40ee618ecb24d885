import type { Limits } from './http.ts';

export interface UpgradeLimits {
  /** The size of manifests and checksums. */
  readonly text: Limits;
  readonly archive: Limits;
  /** The program has about 110 MB, most of it the Bun runtime. */
  readonly unpackedBytes: number;
  /** The time in which a new program must print its version. */
  readonly probeMs: number;
}

export const upgradeLimits: UpgradeLimits = {
  text: { maxBytes: 5_000_000, timeoutMs: 20_000, idleMs: 10_000 },
  archive: { maxBytes: 300_000_000, timeoutMs: 30 * 60_000, idleMs: 30_000 },
  unpackedBytes: 500_000_000,
  probeMs: 20_000,
};
