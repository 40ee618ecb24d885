import { Failure, platformState, type SystemCtx, type SystemServices, sql } from '@chowk/kit';
import { LRUCache } from 'lru-cache';
import type { ReleaseChannel } from './channels.ts';
import { readGitlab } from './gitlab.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { fetchText, manifestUrl } from './source.ts';

export interface CurrentManifest {
  readonly manifest: Manifest;
  /** When the source confirmed it. */
  readonly fetchedAt: Date;
  /** Why the source could not be asked since. */
  readonly problem?: string;
}

interface Stored {
  readonly manifest: Manifest;
  readonly etag: string | null;
  readonly fetched_at: string;
}

/** Within this time the source is not asked again. */
const freshMs = 60_000;

interface Loading {
  readonly startedAt: number;
  readonly manifest: Promise<CurrentManifest>;
}

const recent = platformState(() => new LRUCache<string, Loading>({ max: 200 }));

/** The manifest of a channel; while its source fails, the last valid one. */
export function currentManifest({ system }: SystemCtx, channel: ReleaseChannel): Promise<CurrentManifest> {
  const cache = recent(system);
  const startedAt = system.now().getTime();
  const known = cache.get(channel.key);
  if (known && startedAt - known.startedAt < freshMs) return known.manifest;
  const manifest = load(system, channel);
  manifest.catch(() => cache.delete(channel.key));
  cache.set(channel.key, { startedAt, manifest });
  return manifest;
}

async function load(system: SystemServices, channel: ReleaseChannel): Promise<CurrentManifest> {
  const stored = await system.central.row<Stored>(sql`
    UPDATE release_manifests SET used_at = now() WHERE channel = ${channel.key}
    RETURNING manifest, etag, fetched_at`);
  const fetchedAt = system.now();
  try {
    const { manifest, etag } = await fetchManifest(system, channel, stored);
    await store(system, channel.key, { manifest, etag, fetched_at: fetchedAt.toISOString() });
    return { manifest, fetchedAt };
  } catch (error) {
    if (!stored || !(error instanceof Failure)) throw error;
    system.log.warn({ err: error }, 'the source of releases fails; the last valid manifest is served');
    return { manifest: stored.manifest, fetchedAt: new Date(stored.fetched_at), problem: error.message };
  }
}

async function fetchManifest(
  system: SystemServices,
  channel: ReleaseChannel,
  stored: Stored | undefined,
): Promise<{ manifest: Manifest; etag: string | null }> {
  if (channel.adapter === 'gitlab') return { manifest: await readGitlab(system, channel), etag: null };
  const url = manifestUrl(channel);
  const answer = await fetchText(system, url, stored?.etag ? { 'if-none-match': stored.etag } : {});
  if (!answer && stored) return stored;
  return { manifest: await readManifest(answer?.text ?? '', url), etag: answer?.etag ?? null };
}

async function store(system: SystemServices, channel: string, { manifest, etag, fetched_at }: Stored): Promise<void> {
  await system.central.run(sql`
    INSERT INTO release_manifests (channel, manifest, etag, fetched_at)
    VALUES (${channel}, ${JSON.stringify(manifest)}::jsonb, ${etag}, ${fetched_at})
    ON CONFLICT (channel) DO UPDATE
      SET manifest = excluded.manifest, etag = excluded.etag, fetched_at = excluded.fetched_at`);
}
