import { type Db, empty, type Sql, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { type Addressee, mailUser } from '../mail/mails.ts';
import {
  addressHash,
  badLink,
  checkSignature,
  type VerificationLink,
  verificationMinutes,
  verificationUrl,
} from './verification-link.ts';

interface LinkedUser {
  id: number;
  email: string;
  verified: boolean;
}

/** Mails a verification link. */
export function sendVerification(ctx: SystemCtx, user: Addressee): Promise<void> {
  const { userId, email } = user;
  return mailUser(ctx, user, ({ name, tenantId }) => ({
    subject: `Verify your email address for ${name}`,
    paragraphs: [`Please confirm that ${email} is your address, so that ${name} can reach you there.`],
    button: { label: 'Verify email address', url: verificationUrl(ctx, { userId, email, tenantId }) },
    expiry: `This link expires in ${verificationMinutes} minutes. You can request a new one while you are signed in.`,
    warning: `If you have no account at ${name}, ignore this mail.`,
  }));
}

export async function verifyEmail(ctx: SystemCtx, link: VerificationLink): Promise<{ already_verified?: true }> {
  const tenantId = await checkLink(ctx, link);
  return ctx.central.tx(async (tx) => {
    // The lock makes a concurrent second click find the address verified.
    const user = await findLinked(tx, { link, tenantId, lock: sql`FOR UPDATE` });
    if (user.verified) return { already_verified: true };
    await tx.run(
      sql`UPDATE users SET email_verified_at = ${ctx.now()}, updated_at = ${ctx.now()} WHERE id = ${user.id}`,
    );
    await record(ctx, { action: 'email_verified', userId: user.id, tenantId, details: { email: user.email } }, tx);
    return {};
  });
}

/** The user of a link, without verifying the address. */
export async function previewVerification(ctx: SystemCtx, link: VerificationLink): Promise<LinkedUser> {
  return findLinked(ctx.central, { link, tenantId: await checkLink(ctx, link), lock: empty });
}

export async function resendVerification(ctx: SystemCtx): Promise<{ message: string }> {
  const { id: userId, name } = ctx.user;
  const user = await ctx.central.row<{ email: string | null; verified: boolean }>(
    sql`SELECT email, email_verified_at IS NOT NULL AS verified FROM users WHERE id = ${userId}`,
  );
  if (!user?.email || user.verified) return { message: 'Your email address is already verified.' };
  ctx.system.limits.take(`resend ${userId}`, ctx.system.options.resendsPerMinute);
  await sendVerification(ctx, { userId, name, email: user.email });
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
  const user = await db.row<LinkedUser>(sql`
    SELECT u.id, u.email, u.email_verified_at IS NOT NULL AS verified FROM users u
    WHERE u.id = ${Number(link.id)} AND u.kind = 'person' AND u.disabled_at IS NULL AND u.email IS NOT NULL
      AND (${tenantId ?? null}::text IS NULL OR EXISTS (
        SELECT FROM memberships m WHERE m.user_id = u.id AND m.tenant_id = ${tenantId ?? null}))
    ${lock}`);
  if (!user || addressHash(user.email) !== link.hash) throw badLink();
  return user;
}
