import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { record } from '../activity/activity.ts';
import { badToken, hashSecret } from '../secret-tokens.ts';
import { listAccessToCheck } from './access-to-check.ts';
import { ownAddress, unlessOwned } from './email-ownership.ts';
import { endGrantedAccess } from './end-granted-access.ts';
import { deletePasswordResets } from './password.ts';
import { sendPasswordReset } from './password-reset.ts';
import { removeFactor } from './second-factor.ts';

interface EmailChange {
  user_id: number;
  old_email: string;
  old_verified_at: string;
  old_password_hash: string;
  requested_at: string;
  created_at: string;
  expires_at: string;
}

const explanation = [
  'A change of your email address was undone. The person who made it knows your password: choose a new one now.',
  'All sessions and personal access tokens have ended, and so has the access that your account gave to others since ' +
    'the change: invitations, roles and API clients. Webhooks and notification rules that it saved since then are turned off.',
];
const ownedByOther = 'Another account has verified this address. Contact the administrator of your organization.';

interface UndoLink {
  readonly token: string;
}

/** The address that the link would restore. */
export async function previewUndo(ctx: SystemCtx, { token }: UndoLink): Promise<{ email: string; expires_at: string }> {
  const { old_email, expires_at } = await findChange(ctx, ctx.central, token);
  return { email: old_email, expires_at };
}

/**
 * Restores the old address and ends everything that gives access. The person who made the change knew the password, so
 * signing in is refused until a new one is chosen by the link mailed to the restored address.
 */
export async function undoEmailChange(ctx: SystemCtx, { token }: UndoLink): Promise<{ email: string }> {
  const { user_id: userId } = await findChange(ctx, ctx.central, token);
  const email = await unlessOwned({ field: 'token', message: ownedByOther }, () =>
    ctx.central.tx(async (tx) => {
      const current = await lockAddress(tx, userId);
      const change = await findChange(ctx, tx, token);
      await removeFactorSince(tx, change);
      await restoreAccount(tx, ctx, change);
      await leaveTenantsSince(tx, change);
      await endGrantedAccess(ctx, tx, { userId, since: change.requested_at });
      await endChangesSince(tx, ctx, change);
      // After the commit.
      const saved = { userId, since: change.requested_at };
      await ctx.jobs.add('identity.turn_off_listeners', saved, { delaySeconds: 1 });
      await getAccounts(ctx.system).sessions.revokeAll(userId, { db: tx });
      const details = { old: current, new: change.old_email };
      await record(ctx, { action: 'email_change_undone', userId, details }, tx);
      await sendPasswordReset(ctx, tx, userId, [...explanation, ...(await listAccessToCheck(ctx, tx, userId))]);
      return change.old_email;
    }),
  );
  return { email };
}

async function findChange(ctx: SystemCtx, db: Db, token: string): Promise<EmailChange> {
  const change = await db.row<EmailChange>(sql`
    SELECT user_id, old_email, old_verified_at, old_password_hash, requested_at, created_at, expires_at FROM email_changes
    WHERE token_hash = ${hashSecret(token)} AND undone_at IS NULL AND expires_at > ${ctx.now()}`);
  if (!change) throw badToken();
  return change;
}

async function lockAddress(tx: Db, userId: number): Promise<string> {
  const user = await tx.row<{ email: string }>(sql`SELECT email FROM users WHERE id = ${userId} FOR UPDATE`);
  return user?.email ?? '';
}

/** A second factor that was set up after the change would lock the owner out. */
async function removeFactorSince(tx: Db, { user_id, requested_at }: EmailChange): Promise<void> {
  const isOlder = await tx.row(sql`
    SELECT FROM users WHERE id = ${user_id} AND two_factor_confirmed_at <= ${requested_at}`);
  if (!isOlder) await removeFactor(tx, user_id);
}

/** The restored password is known to the person who made the change; a reset must not choose it again. */
async function restoreAccount(tx: Db, ctx: SystemCtx, change: EmailChange): Promise<void> {
  const { user_id: userId, old_email: email, old_verified_at: verifiedAt } = change;
  await ownAddress(tx, { userId, email, verifiedAt });
  await deletePasswordResets(tx, userId);
  await tx.run(sql`
    UPDATE users SET password_hash = ${change.old_password_hash}, password_exposed_at = ${ctx.now()},
      updated_at = ${ctx.now()} WHERE id = ${userId}`);
}

/**
 * Ends memberships that were granted to the new address. A tenant whose only Owner is this account keeps it: it would
 * have no Owner otherwise.
 */
async function leaveTenantsSince(tx: Db, { user_id, requested_at }: EmailChange): Promise<void> {
  await tx.run(sql`
    DELETE FROM memberships m USING roles r
    WHERE m.user_id = ${user_id} AND m.created_at >= ${requested_at} AND r.id = m.role_id
      AND (r.tenant_id IS NOT NULL OR r.name <> 'Owner' OR EXISTS (
        SELECT FROM memberships o WHERE o.tenant_id = m.tenant_id AND o.role_id = m.role_id AND o.user_id <> m.user_id))`);
}

/** Closes this change and later ones. An earlier change can still be undone by the link sent for it. */
async function endChangesSince(tx: Db, ctx: SystemCtx, { user_id, created_at }: EmailChange): Promise<void> {
  await tx.run(sql`
    UPDATE email_changes SET undone_at = ${ctx.now()}
    WHERE user_id = ${user_id} AND undone_at IS NULL AND created_at >= ${created_at}`);
}
