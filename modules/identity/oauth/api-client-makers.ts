import { type Db, type Sql, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';

/** How long the secret of a client that was taken over stays valid: the former maker knows it. */
const secretHours = 24;

interface Client {
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: number;
  readonly name: string;
}

/** Deletes clients `c`. Their users are disabled, not deleted, because the logs refer to them. */
export async function deleteClients(ctx: SystemCtx, tx: Db, where: Sql, userId = ctx.userId): Promise<void> {
  for (const { id, tenant_id: tenantId, user_id: subjectId, name } of await lockClients(tx, where)) {
    // Cascades to its sessions.
    await tx.run(sql`DELETE FROM oauth_clients WHERE id = ${id}`);
    await tx.run(sql`DELETE FROM memberships WHERE user_id = ${subjectId}`);
    await tx.run(sql`UPDATE users SET disabled_at = now(), updated_at = now() WHERE id = ${subjectId}`);
    const details = { client_id: id, name };
    await record(ctx, { action: 'api_client_deleted', userId, subjectId, tenantId, details }, tx);
  }
}

/** Makes the caller the maker of clients `c`. */
export async function takeOverClients(ctx: SystemCtx, tx: Db, where: Sql): Promise<void> {
  for (const { id, user_id: subjectId, name } of await lockClients(tx, where)) {
    await tx.run(sql`
      UPDATE oauth_clients SET created_by = ${ctx.user.id}, updated_at = now(),
        secret_expires_at = ${ctx.now()}::timestamptz + make_interval(hours => ${secretHours})
      WHERE id = ${id}`);
    // Notifies the caches of its rights.
    await tx.run(sql`UPDATE memberships SET updated_at = now() WHERE user_id = ${subjectId}`);
    await record(ctx, { action: 'api_client_taken_over', subjectId, details: { client_id: id, name } }, tx);
  }
}

function lockClients(tx: Db, where: Sql): Promise<Client[]> {
  return tx.rows<Client>(sql`
    SELECT c.id, c.tenant_id, c.user_id, c.name FROM oauth_clients c WHERE ${where} ORDER BY c.id FOR UPDATE`);
}
