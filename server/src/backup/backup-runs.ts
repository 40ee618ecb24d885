import { type Db, type Sql, sql } from '@chowk/kit/kernel';

type Kind = 'backup' | 'rehearsal';

export interface Run {
  /** With the error, if it failed. */
  end(error?: string, bytes?: number): Promise<void>;
}

/** Records a backup or a rehearsal. One without an end was killed. */
export async function recordRun(
  db: Db,
  { id, kind, tenantId }: { readonly id: string; readonly kind: Kind; readonly tenantId?: string | undefined },
): Promise<Run> {
  await db.run(sql`INSERT INTO backup_runs (id, kind, tenant_id) VALUES (${id}, ${kind}, ${tenantId ?? null})`);
  await db.run(sql`DELETE FROM backup_runs WHERE started_at < now() - interval '1 year'`);
  return {
    async end(error, bytes = 0) {
      await db.run(sql`
        UPDATE backup_runs SET finished_at = now(), error = ${error ?? null}, bytes = ${bytes} WHERE id = ${id}`);
    },
  };
}

export interface LastRuns {
  /** When the last good one ended, in seconds since 1970; `null` if there is none. */
  readonly backup: number | null;
  /** The first one of the last year. */
  readonly first: number | null;
  readonly rehearsal: number | null;
  /** Of the last backup of the platform, if it failed. */
  readonly error: string | null;
}

/** Backups of one tenant do not count. */
export async function readLastRuns(db: Db): Promise<LastRuns> {
  const good = (which: Sql, kind: Kind) => sql`
    SELECT extract(epoch FROM ${which})::float8 FROM backup_runs
    WHERE kind = ${kind} AND error IS NULL AND (kind = 'rehearsal' OR tenant_id IS NULL)`;
  return (await db.row<LastRuns>(sql`
    SELECT (${good(sql`max(finished_at)`, 'backup')}) AS backup, (${good(sql`min(finished_at)`, 'backup')}) AS first,
      (${good(sql`max(finished_at)`, 'rehearsal')}) AS rehearsal,
      (SELECT error FROM backup_runs WHERE kind = 'backup' AND tenant_id IS NULL AND finished_at IS NOT NULL
       ORDER BY started_at DESC LIMIT 1) AS error`)) as LastRuns;
}
