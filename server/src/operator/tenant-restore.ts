import { type Sql, sql } from '@chowk/kit/kernel';
import { restoreFromBackup } from '../backup/restore-one.ts';
import { Context } from '../context/context.ts';
import { type Connection, withConnection } from '../db/connection.ts';
import { parseDatabaseUrl } from '../db/server-address.ts';
import type { Kernel } from '../kernel.ts';
import type { ArchiveServices } from '../tenancy/archive-services.ts';
import { copyLimits, locate, openArchive, withSnapshotAt } from '../tenancy/archive-source.ts';
import { databaseName } from '../tenancy/labels.ts';
import { type RestoreResult, restoreTenant } from '../tenancy/restore-tenant.ts';
import { installationId } from '../tenancy/tenant-databases.ts';
import { requireTenantId } from '../tenancy/tenants.ts';
import { archiveServices, throttled } from './archive-services.ts';
import { backupServices } from './backup-services.ts';
import { type Command, type Session, UsageError } from './command.ts';
import { requireOwnRing } from './own-ring.ts';

export const tenantRestoreCommand: Command = {
  name: 'tenant:restore',
  usage:
    '<id or domain> --backup=<id or latest> | --from=<exported file or postgres://server/database> [--yes=<id>] [--large] [--json]',
  summary:
    'replace the data of a tenant with that of a backup, of an exported file, or of a database on a server restored from a backup; PGPASSWORD or a password file (PGPASSFILE) has the password, which others could see in the address',
  options: {
    backup: { type: 'string' },
    from: { type: 'string' },
    yes: { type: 'string' },
    large: { type: 'boolean' },
  },
  positionals: { min: 1, max: 1 },
  async run({ kernel: open, ask, say, table, progress }, { positionals: [label = ''], options }) {
    const { from, backup } = options;
    if ((typeof from === 'string') === (typeof backup === 'string')) {
      throw new UsageError('name a backup with --backup, or a file or a database with --from');
    }
    const kernel = await open();
    const id = await requireTenantId(kernel.central.db, label);
    await requireOwnRing(kernel, id);
    const confirmed = options.yes ?? (await ask(`This replaces all data of ${id}. Enter its id to continue:`));
    if (confirmed === undefined) throw new UsageError(`confirm with --yes=${id}`);
    if (confirmed !== id) throw new UsageError(`${String(confirmed)} is not ${id}; nothing was changed`);
    const { kept, reports } =
      typeof backup === 'string'
        ? await restoreBackup(kernel, id, { backup, progress, say: options.json ? () => {} : say })
        : await restoreFrom(await archiveServices(kernel, throttled(progress)), id, {
            from: String(from),
            isLarge: options.large === true,
          });
    await announce(kernel, id);
    if (options.json) return table([{ id, kept, reports }], '');
    say(`Restored ${id}. Its data from before is in the database ${kept}, read-only, until you delete it.`);
    for (const report of reports) say(`  ${report}`);
  },
};

interface BackupChoice extends Pick<Session, 'progress' | 'say'> {
  readonly backup: string;
}

async function restoreBackup(
  kernel: Kernel,
  id: string,
  { backup, progress, say }: BackupChoice,
): Promise<RestoreResult> {
  const services = await backupServices(kernel, throttled(progress));
  const manifest = await services.store.find(backup, ({ tenants }) => tenants.some((tenant) => tenant.id === id));
  const { safety, ...result } = await restoreFromBackup(services, manifest, id);
  say(`Backed up ${id} as ${safety} before. Restored from ${manifest.id}, of ${manifest.finished_at}.`);
  return result;
}

function restoreFrom(
  services: ArchiveServices,
  id: string,
  { from, isLarge }: { readonly from: string; readonly isLarge: boolean },
): Promise<RestoreResult> {
  const isDatabase = /^postgres(ql)?:\/\//.test(from);
  return isDatabase ? restoreFromDatabase(services, id, from) : restoreFromFile(services, id, { file: from, isLarge });
}

async function restoreFromFile(
  services: ArchiveServices,
  id: string,
  { file, isLarge }: { readonly file: string; readonly isLarge: boolean },
): Promise<RestoreResult> {
  const archive = await openArchive(file, { isLarge });
  try {
    const { manifest } = archive;
    const isOurs = manifest.installation === (await installationId(services.central.db));
    if (!isOurs || manifest.tenant.id !== id) {
      throw new Error(
        `${file} is not an export of ${id} from this installation; create a tenant from it with 'chowkd tenant:import'`,
      );
    }
    return await restoreTenant(services, id, archive, { checkFiles: manifest.files });
  } finally {
    await archive.close();
  }
}

/** Files are those of the storage: the database has only their names. */
async function restoreFromDatabase(services: ArchiveServices, id: string, url: string): Promise<RestoreResult> {
  const { database } = await locate(services, id);
  const place = parseDatabaseUrl(url, database);
  await requireOwn(services, id, { ...place, current: database });
  return withSnapshotAt(services, id, place, (source) =>
    restoreTenant(services, id, {
      ...source,
      async *files() {
        for await (const file of source.files()) if (!file.content) yield file;
      },
    }),
  );
}

/** Throws unless it is a database of this tenant. A backup of an older version has only the name to tell. */
async function requireOwn(
  { central }: ArchiveServices,
  id: string,
  { address, database, current }: ReturnType<typeof parseDatabaseUrl> & { readonly current: string },
): Promise<void> {
  const own = await installationId(central.db);
  const source = await withConnection(address, database, copyLimits, async (connection) => ({
    installation: await readId(connection, sql`SELECT id FROM chowk_installation`),
    tenant: await readId(connection, sql`SELECT tenant_id AS id FROM tenant_identity`),
  }));
  if (source.installation !== own) throw new Error(`the database ${database} there is not one of this installation`);
  if (source.tenant !== undefined && source.tenant !== id) {
    throw new Error(`the database ${database} there is that of ${source.tenant}, not of ${id}; nothing was changed`);
  }
  const names = [databaseName(id), current];
  if (source.tenant === undefined && !names.includes(database)) {
    throw new Error(
      `the database ${database} there does not say whose it is; if it is that of ${id}, rename it to ${names[0]}`,
    );
  }
}

/** `undefined` if there is no such table or row. */
async function readId(connection: Connection, statement: Sql): Promise<string | undefined> {
  try {
    return (await connection.query<{ id: string }>(statement)).rows[0]?.id;
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return undefined;
    throw error;
  }
}

/** Followers of the event log read everything again. */
async function announce(kernel: Kernel, id: string): Promise<void> {
  kernel.directory.tenantChanged(id);
  const tenant = await kernel.directory.find(id);
  if (!tenant) return;
  const ctx = new Context(kernel, { requestId: 'restore', module: 'administration', tenant, system: true });
  await ctx.emit('tenant.restored', { tenant_id: id });
}
