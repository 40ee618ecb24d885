import { type Db, type Sql, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { isShownEmailVerified, shownEmail } from '../accounts/users.ts';
import { record } from '../activity/activity.ts';
import { type Addressee, mailUser } from '../mail/mails.ts';
import { addressTaken, ownAddress, unlessOwned } from './email-ownership.ts';
import { sendUndoLink } from './email-undo-link.ts';
import { exposePassword } from './expose-password.ts';
import { endAccessBeforeProof } from './first-proof.ts';
import { deletePasswordResets } from './password.ts';
import {
  addressHash,
  badLink,
  checkSignature,
  type VerificationLink,
  verificationMinutes,
  verificationUrl,
} from './verification-link.ts';

interface LinkedUser {
  readonly id: number;
  readonly name: string;
  readonly email: string | null;
  readonly email_verified_at: string | null;
  readonly pending_email: string | null;
  readonly pending_email_at: string | null;
  readonly pending_email_password: string | null;
  /** The address that the link verifies. */
  readonly address: string;
  readonly verified: boolean;
}

/** Mails a verification link. */
export function sendVerification(ctx: SystemCtx, tx: Db, user: Addressee): Promise<void> {
  const { userId, email } = user;
  return mailUser(ctx, tx, user, ({ name, tenantId }) => ({
    subject: `Verify your email address for ${name}`,
    paragraphs: [`Please confirm that ${email} is your address, so that ${name} can reach you there.`],
    button: { label: 'Verify email address', url: verificationUrl(ctx, { userId, email: email ?? '', tenantId }) },
    expiry: `This link expires in ${verificationMinutes} minutes. You can request a new one while you are signed in.`,
    warning: `If you have not created an account at ${name}, ignore this mail: somebody else may have entered your address.`,
  }));
}

interface Verified {
  readonly already_verified?: true;
  readonly new_password_needed?: true;
}

/** A new address replaces the old one now. If the old one was verified, it receives a link that undoes the change. */
export async function verifyEmail(ctx: SystemCtx, link: VerificationLink): Promise<Verified> {
  const tenantId = await checkLink(ctx, link);
  return unlessOwned({ field: 'hash', message: addressTaken }, async () => {
    const { userId, ...verified } = await ctx.central.tx(async (tx) => {
      // The lock makes a concurrent second click find the address verified.
      const user = await findLinked(tx, { link, tenantId, lock: sql`FOR UPDATE` });
      const { id: userId, address } = user;
      if (user.verified) return { userId, already_verified: true as const };
      await verifyAddress(ctx, tx, { ...user, tenantId });
      await record(ctx, { action: 'email_verified', userId, tenantId, details: { email: address } }, tx);
      if (!isFirstProofByStranger(ctx, user)) return { userId };
      await endAccessBeforeProof(ctx, tx, userId);
      const isExposed = await exposePassword(ctx, tx, { userId, address });
      return { userId, ...(isExposed && { new_password_needed: true as const }) };
    });
    getAccounts(ctx.system).sessions.invalidateUser(userId);
    return verified;
  });
}

/** Who has both the link and a session is the person who set the account up. */
function isFirstProofByStranger(ctx: SystemCtx, { id, email_verified_at }: LinkedUser): boolean {
  return email_verified_at === null && ctx.userId !== id;
}

async function verifyAddress(
  ctx: SystemCtx,
  tx: Db,
  user: LinkedUser & { readonly tenantId: string | undefined },
): Promise<void> {
  const { id: userId, name, email, address, tenantId } = user;
  await tx.run(sql`UPDATE users SET updated_at = ${ctx.now()} WHERE id = ${userId}`);
  if (address === email) {
    await tx.run(sql`UPDATE users SET email_verified_at = ${ctx.now()} WHERE id = ${userId}`);
    return;
  }
  await ownAddress(tx, { userId, email: address, verifiedAt: ctx.now() });
  await deletePasswordResets(tx, userId);
  const {
    email_verified_at: oldVerifiedAt,
    pending_email_at: requestedAt,
    pending_email_password: oldPasswordHash,
  } = user;
  if (!email || !oldVerifiedAt || !requestedAt || !oldPasswordHash) return;
  const change = { newEmail: address, oldVerifiedAt, oldPasswordHash, requestedAt };
  await sendUndoLink(ctx, tx, { userId, name, email, tenantId }, change);
}

/** The address of a link and the name of its user, without verifying the address. */
export async function previewVerification(ctx: SystemCtx, link: VerificationLink) {
  const tenantId = await checkLink(ctx, link);
  const user = await findLinked(ctx.central, { link, tenantId, lock: sql`` });
  const { address: email, name, verified } = user;
  return { email, name, already_verified: verified, ends_access: isFirstProofByStranger(ctx, user) };
}

export async function resendVerification(ctx: SystemCtx): Promise<{ message: string }> {
  const { id: userId, name } = ctx.user;
  const user = await ctx.central.row<{ email: string | null; verified: boolean }>(
    sql`SELECT ${shownEmail} AS email, ${isShownEmailVerified} AS verified FROM users u WHERE id = ${userId}`,
  );
  if (!user?.email || user.verified) return { message: 'Your email address is already verified.' };
  ctx.system.limits.take(`resend ${userId}`, ctx.system.options.resendsPerMinute);
  await sendVerification(ctx, ctx.central, { userId, name, email: user.email });
  return { message: 'A new verification link was mailed.' };
}

/** Throws for an invalid link; returns the tenant that it names. */
async function checkLink(ctx: SystemCtx, link: VerificationLink): Promise<string | undefined> {
  const tenant = link.tenant === undefined ? undefined : await ctx.system.tenants.find(link.tenant);
  checkSignature(ctx, link);
  return tenant?.id;
}

/** The user must be a member of the tenant: otherwise anyone could write to the activity log of any tenant. */
async function findLinked(
  db: Db,
  { link, tenantId, lock }: { link: VerificationLink; tenantId: string | undefined; lock: Sql },
): Promise<LinkedUser> {
  if (!/^[1-9]\d{0,14}$/.test(link.id)) throw badLink();
  const user = await db.row<Omit<LinkedUser, 'address' | 'verified'>>(sql`
    SELECT u.id, u.name, u.email, u.email_verified_at, u.pending_email, u.pending_email_at,
      u.pending_email_password FROM users u
    WHERE u.id = ${Number(link.id)} AND u.kind = 'person' AND u.disabled_at IS NULL
      AND (${tenantId ?? null}::text IS NULL OR EXISTS (
        SELECT FROM memberships m WHERE m.user_id = u.id AND m.tenant_id = ${tenantId ?? null}))
    ${lock}`);
  const addresses = [user?.pending_email, user?.email];
  const address = addresses.find((email) => email && addressHash(email) === link.hash);
  if (!user || !address) throw badLink();
  return { ...user, address, verified: address === user.email && user.email_verified_at !== null };
}
