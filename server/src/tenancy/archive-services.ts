import type { Db, Secrets } from '@chowk/kit/kernel';
import type { Team } from './archive-manifest.ts';
import type { Rules } from './archive-tables.ts';
import type { Central } from './central-database.ts';
import type { SettingsStore } from './settings.ts';
import type { TenantDatabases } from './tenant-databases.ts';

/** A row of `stored_files`. */
export interface FileRow {
  readonly id: string;
  readonly module: string;
  readonly type: string;
  readonly size: number;
  readonly is_public: boolean;
}

/** The contents of files, which are kept outside the database. */
export interface FileContents {
  /** `undefined` if it does not exist any more. */
  readContent(tenantId: string, file: FileRow): Promise<AsyncIterable<Uint8Array> | undefined>;
  writeContent(tenantId: string, file: FileRow, content: AsyncIterable<Uint8Array>): Promise<void>;
  removeTenant(tenantId: string): Promise<void>;
}

/** The members of a tenant and its own roles. */
export interface Teams {
  exportTeam(tenantId: string): Promise<Team>;
  /** The ids of the users with these verified addresses. */
  findVerified(emails: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Runs in the transaction that activates the tenant. Returns the addresses of members who were not added. */
  importTeam(db: Db, tenantId: string, team: Team): Promise<string[]>;
  /** Runs in the transaction that deletes the tenant. */
  removeTenant(db: Db, tenant: { readonly id: string; readonly name: string }): Promise<void>;
}

/** The services that archives, copies and deletions of tenants use. */
export interface ArchiveServices {
  readonly central: Central;
  readonly databases: TenantDatabases;
  readonly settings: SettingsStore;
  readonly secrets: Secrets;
  readonly files: FileContents;
  readonly teams: Teams;
  /** Pending tasks of a tenant. */
  readonly jobs: { removeTenant(tenantId: string): Promise<void> };
  readonly rules: Rules;
  readonly modules: ReadonlySet<string>;
  readonly now: () => Date;
  readonly onProgress: (line: string) => void;
}
