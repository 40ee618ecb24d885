import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openArchive } from '../tenancy/archive-source.ts';
import type { BackupManifest, FileList, StoredObject } from './backup-manifest.ts';
import type { BackupStore } from './backup-store.ts';
import { CentralArchive, verifyRows } from './central-archive.ts';

export interface Damage {
  readonly object: string;
  readonly problem: string;
}

interface Verification {
  readonly store: BackupStore;
  readonly scratch: string;
  readonly onProgress: (line: string) => void;
}

/** Decrypts every object of a backup and checks every digest. Objects that were `checked` before are left out. */
export async function verifyBackup(
  verification: Verification,
  manifest: BackupManifest,
  checked = new Set<string>(),
): Promise<Damage[]> {
  const { scratch, onProgress } = verification;
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const damages: Damage[] = [];
  const check = async ({ object }: StoredObject, work: () => Promise<void>) => {
    if (checked.has(object)) return;
    checked.add(object);
    await work().catch((error: Error) => damages.push({ object, problem: error.message }));
  };
  const checkFiles = (list: FileList) => check(list, () => verifyFiles(verification, list, check));
  for (const [index, { id, archive, files }] of manifest.tenants.entries()) {
    onProgress(`${index + 1}/${manifest.tenants.length} ${id}`);
    await check(archive, () => verifyTenant(verification, archive));
    await checkFiles(files);
  }
  const { central } = manifest;
  if (central) {
    await check(central.archive, () => verifyCentral(verification, central.archive));
    await checkFiles(central.files);
  }
  await rm(scratch, { recursive: true, force: true });
  return damages;
}

async function verifyTenant({ store, scratch }: Verification, archive: StoredObject): Promise<void> {
  const path = join(scratch, 'tenant.zip');
  await store.readToFile(archive, path);
  const { manifest, rows, close } = await openArchive(path, { isLarge: true });
  try {
    for (const table of manifest.tables) await verifyRows(rows(table), table);
  } finally {
    await close();
  }
}

async function verifyCentral({ store, scratch }: Verification, archive: StoredObject): Promise<void> {
  const path = join(scratch, 'central.zip');
  await store.readToFile(archive, path);
  const opened = await CentralArchive.open(path);
  await opened.verify().finally(() => opened.close());
}

async function verifyFiles(
  { store, onProgress }: Verification,
  list: FileList,
  check: (object: StoredObject, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let count = 0;
  for await (const { object, size } of store.readFileList(list)) {
    await check({ object, bytes: size }, async () => {
      let length = 0;
      for await (const chunk of store.read(object)) length += chunk.length;
      if (length !== size) throw new Error(`${object} has ${length} bytes and not ${size}`);
    });
    count += 1;
    if (count % 100 === 0) onProgress(`${count.toLocaleString('en')} files`);
  }
  if (count !== list.count) throw new Error(`${list.object} lists ${count} files and not ${list.count}`);
}
