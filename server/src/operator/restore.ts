import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { BackupManifest } from '../backup/backup-manifest.ts';
import { openBackupStore } from '../backup/backup-services.ts';
import { restorePlatform } from '../backup/restore-platform.ts';
import type { Config } from '../config/config.ts';
import { openServer } from '../db/server.ts';
import { loadModules } from '../loader/load-modules.ts';
import { lockPath, repository, ringLockPath } from '../loader/lock-path.ts';
import { SecretBox } from '../secrets.ts';
import { openStorage } from '../storage.ts';
import { archiveServices, throttled } from './archive-services.ts';
import { type Command, type Session, UsageError } from './command.ts';
import { readRingMigrations } from './ring-migrations.ts';

export const restoreCommand: Command = {
  name: 'restore',
  usage: '[--backup=<id>] [--yes] [--installed-modules] [--json]',
  summary: 'restore the whole platform from a backup, the newest by default, to an empty installation',
  options: { backup: { type: 'string' }, yes: { type: 'boolean' }, 'installed-modules': { type: 'boolean' } },
  async run(session, { options }) {
    const { config, ask, say, table, progress } = session;
    const store = await openBackupStore(config);
    const manifest = await store.find(String(options.backup ?? 'latest'), ({ kind }) => kind === 'platform');
    await confirm(manifest, options.yes === true ? undefined : ask);
    await openStorage(config.storagePath);
    const scratch = `${join(config.storagePath, 'restore')}`;
    const ringConfig = await prepareRings(config, manifest, {
      folder: join(config.storagePath, 'lock-files'),
      usesInstalled: options['installed-modules'] === true,
    });
    const server = await openServer(config, progress, { creates: true });
    try {
      const result = await restorePlatform({
        config,
        server,
        store,
        manifest,
        scratch,
        onProgress: throttled(progress),
        migrations: await readRingMigrations(
          [config.ringName, ...manifest.rings.map((ring) => ring.name)].map(ringConfig),
        ),
        bootRing: (ring, centralDatabase) =>
          session.bootOn({
            config: ringConfig(ring),
            server: { ...server, centralDatabase },
            secrets: openSecrets(manifest),
          }),
        archiveServices: (kernel) => archiveServices(kernel, throttled(progress)),
      });
      const reports = [...result.reports, ...(await findOtherLocks(config, manifest))];
      if (options.json) return table([{ backup: manifest.id, ...result, reports }], '');
      say(`Restored ${manifest.id}: ${result.tenants} tenants, ${result.files} files, ${result.tasks} waiting tasks.`);
      for (const report of reports) say(`  ${report}`);
    } finally {
      await server.close();
    }
  },
};

async function confirm(manifest: BackupManifest, ask: Session['ask'] | undefined): Promise<void> {
  if (!ask) return;
  const answer = await ask(
    `This restores ${manifest.tenants.length} tenants of ${manifest.finished_at}. The platform that was backed up must not run any more. Enter 'restore' to continue:`,
  );
  if (answer === undefined) throw new UsageError('confirm with --yes');
  if (answer !== 'restore') throw new UsageError('nothing was restored');
}

function openSecrets({ keys }: BackupManifest): SecretBox {
  const [first, ...others] = [keys?.app_key ?? '', ...(keys?.previous_keys ?? [])].map((key) =>
    Buffer.from(key, 'base64'),
  );
  return new SecretBox(first as Buffer, ...others);
}

/**
 * The configuration of each ring, with its lock file in the backup, or the installed one. Throws if a module of a ring with tenants
 * is missing, before anything is restored.
 */
async function prepareRings(
  config: Config,
  { rings, tenants }: BackupManifest,
  { folder, usesInstalled }: { readonly folder: string; readonly usesInstalled: boolean },
): Promise<(ring: string) => Config> {
  const saved = new Map<string, string>();
  await mkdir(folder, { recursive: true });
  for (const { name, lock } of rings) {
    if (lock === null) continue;
    const file = join(folder, `${name}.lock.json`);
    await writeFile(file, lock);
    saved.set(name, file);
  }
  const forRing = (ring: string): Config => ({
    ...config,
    ringName: ring,
    moduleLockPath: usesInstalled ? ownLock(config, ring) : (saved.get(ring) ?? ownLock(config, ring)),
    spareDatabases: 0,
  });
  for (const ring of new Set([config.ringName, ...tenants.map((tenant) => tenant.ring)])) {
    await loadModules(forRing(ring)).catch((error: Error) => {
      throw new Error(
        `the modules of the ring ${ring} cannot be loaded: ${error.message}; install them, or use those of this machine with --installed-modules`,
      );
    });
  }
  return forRing;
}

function ownLock({ ringName, moduleLockPath }: Config, ring: string): string | undefined {
  return ring === ringName ? moduleLockPath : undefined;
}

/** What the operator must do so that each ring gets its modules. */
async function findOtherLocks(config: Config, { rings }: BackupManifest): Promise<string[]> {
  const reports: string[] = [];
  for (const { name, lock } of rings) {
    const own = ownLock(config, name);
    const file = resolve(repository, lockPath({ ringName: name, moduleLockPath: own }));
    if (lock === null || (await readFile(file, 'utf8').catch(() => undefined)) === lock) continue;
    const copy = join(config.storagePath, 'lock-files', `${name}.lock.json`);
    reports.push(`the ring ${name} had other modules: copy ${copy} to ${own ?? ringLockPath(name)} to use them again`);
  }
  return reports;
}
