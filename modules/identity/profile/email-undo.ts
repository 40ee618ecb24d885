import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { accountsOf } from '../accounts/accounts.ts';
import { record } from '../activity/activity.ts';
import { badToken, hashOf } from '../secret-tokens.ts';
import { unlessTaken } from './email-change.ts';
import { sendPasswordReset } from './password-reset.ts';

interface EmailChange {
  user_id: number;
  old_email: string;
  expires_at: string;
}

interface UndoLink {
  readonly token: string;
}

/** The address that the link would restore. */
export async function previewUndo(ctx: SystemCtx, { token }: UndoLink): Promise<{ email: string; expires_at: string }> {
  const { old_email, expires_at } = await findChange(ctx, ctx.central, token);
  return { email: old_email, expires_at };
}

/**
 * Restores the old address and the old password and ends all sessions. The person who made the change knew the
 * password, so the account is read-only until a new one is chosen by the link mailed to the restored address.
 */
export async function undoEmailChange(ctx: SystemCtx, { token }: UndoLink): Promise<{ email: string }> {
  const { user_id: userId } = await findChange(ctx, ctx.central, token);
  const email = await unlessTaken(
    'Another account uses this address now. Contact the administrator of your organization.',
    () =>
      ctx.central.tx(async (tx) => {
        const current = await lockAddress(tx, userId);
        const { old_email } = await findChange(ctx, tx, token);
        await restoreAccount(tx, ctx, token);
        await leaveTenantsSince(tx, token);
        await endChangesSince(tx, ctx, { userId, token });
        await accountsOf(ctx.system).sessions.revokeAll(userId, { db: tx });
        const details = { old: current, new: old_email };
        await record(ctx, { action: 'email_change_undone', userId, details }, tx);
        return old_email;
      }),
  );
  await sendPasswordReset(
    ctx,
    userId,
    'A change of your email address was undone. The person who made it knows your password: choose a new one now.',
  );
  return { email };
}

async function findChange(ctx: SystemCtx, db: Db, token: string): Promise<EmailChange> {
  const change = await db.row<EmailChange>(sql`
    SELECT user_id, old_email, expires_at FROM email_changes
    WHERE token_hash = ${hashOf(token)} AND undone_at IS NULL AND expires_at > ${ctx.now()}`);
  if (!change) throw badToken();
  return change;
}

async function lockAddress(tx: Db, userId: number): Promise<string> {
  const user = await tx.row<{ email: string }>(sql`SELECT email FROM users WHERE id = ${userId} FOR UPDATE`);
  return user?.email ?? '';
}

/** Also removes a second factor that was set up after the change: it would lock the owner out. */
async function restoreAccount(tx: Db, ctx: SystemCtx, token: string): Promise<void> {
  await tx.run(sql`
    WITH change AS (SELECT * FROM email_changes WHERE token_hash = ${hashOf(token)}),
    removed_factor AS (
      UPDATE users u SET two_factor_secret = NULL, two_factor_confirmed_at = NULL, two_factor_last_step = NULL
      FROM change c WHERE u.id = c.user_id
        AND (u.two_factor_confirmed_at IS NULL OR u.two_factor_confirmed_at > c.created_at) RETURNING u.id)
    DELETE FROM recovery_codes WHERE user_id IN (SELECT id FROM removed_factor)`);
  await tx.run(sql`
    UPDATE users u SET email = c.old_email, email_verified_at = c.old_verified_at, password_hash = c.old_password_hash,
      password_exposed_at = ${ctx.now()}, updated_at = ${ctx.now()}
    FROM email_changes c WHERE c.token_hash = ${hashOf(token)} AND u.id = c.user_id`);
}

/**
 * Ends memberships that were granted to the new address. A tenant whose only Owner is this account keeps it: it would
 * have no Owner otherwise.
 */
async function leaveTenantsSince(tx: Db, token: string): Promise<void> {
  await tx.run(sql`
    DELETE FROM memberships m USING email_changes c, roles r
    WHERE c.token_hash = ${hashOf(token)} AND m.user_id = c.user_id AND m.created_at >= c.created_at AND r.id = m.role_id
      AND (r.tenant_id IS NOT NULL OR r.name <> 'Owner' OR EXISTS (
        SELECT FROM memberships o WHERE o.tenant_id = m.tenant_id AND o.role_id = m.role_id AND o.user_id <> m.user_id))`);
}

/** Closes this change and later ones. An earlier change can still be undone by the link sent for it. */
async function endChangesSince(
  tx: Db,
  ctx: SystemCtx,
  { userId, token }: { userId: number; token: string },
): Promise<void> {
  await tx.run(sql`
    WITH free AS (DELETE FROM reserved_emails WHERE user_id = ${userId})
    UPDATE email_changes SET undone_at = ${ctx.now()}
    WHERE user_id = ${userId} AND undone_at IS NULL
      AND created_at >= (SELECT created_at FROM email_changes WHERE token_hash = ${hashOf(token)})`);
}
