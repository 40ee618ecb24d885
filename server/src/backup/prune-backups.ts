import type { BackupManifest } from './backup-manifest.ts';
import type { BackupStore } from './backup-store.ts';

/**
 * Removes all but the newest backups of the platform, those of single tenants that are older, and the objects that no other backup
 * needs. Returns the ids of the removed ones.
 */
export async function pruneBackups(store: BackupStore, keep: number): Promise<string[]> {
  const kept: BackupManifest[] = [];
  const removed: string[] = [];
  let platforms = 0;
  for (const id of await store.listIds()) {
    const manifest = await store.readManifest(id);
    if (platforms >= keep) removed.push(id);
    else kept.push(manifest);
    if (manifest.kind === 'platform') platforms += 1;
  }
  if (removed.length === 0) return [];
  // The manifests first: a backup without all of its objects must not be listed.
  for (const id of removed) await store.removeManifest(id);
  await removeArchives(store, kept);
  await removeFiles(store, kept);
  return removed;
}

async function removeArchives(store: BackupStore, kept: readonly BackupManifest[]): Promise<void> {
  const needed = new Set<string>();
  for (const { tenants, central } of kept) {
    for (const { archive, files } of [...tenants, ...(central ? [central] : [])]) {
      needed.add(archive.object).add(files.object);
    }
  }
  for (const folder of ['central/', 'tenants/', 'lists/']) {
    await store.removeUnneeded(folder, (name) => needed.has(name));
  }
}

/** Tenant by tenant, so that memory holds the files of one. */
async function removeFiles(store: BackupStore, kept: readonly BackupManifest[]): Promise<void> {
  const lists = new Map<string, Map<string, BackupManifest['tenants'][number]['files']>>();
  const add = (owner: string, list: BackupManifest['tenants'][number]['files']) =>
    lists.set(owner, (lists.get(owner) ?? new Map()).set(list.object, list));
  for (const { tenants, central } of kept) {
    for (const { id, files } of tenants) add(`tenants/${id}`, files);
    if (central) add('central', central.files);
  }
  for (const [owner, ownLists] of lists) {
    const needed = new Set<string>();
    for (const list of ownLists.values()) for await (const { object } of store.readFileList(list)) needed.add(object);
    for (const access of ['private', 'public']) {
      await store.removeUnneeded(`files/${access}/${owner}/`, (name) => needed.has(name));
    }
  }
  await store.removeUnneeded('files/', (name) => lists.has(ownerOf(name)));
}

/** `files/private/tenants/acme/…` belongs to `tenants/acme`. */
function ownerOf(name: string): string {
  const [, , scope = '', tenant = ''] = name.split('/');
  return scope === 'central' ? scope : `${scope}/${tenant}`;
}
