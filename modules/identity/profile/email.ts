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

interface FoundUser {
  id: number;
  email: string;
  verified: boolean;
}

/** Mails the link that proves an address. */
export function sendVerification(ctx: SystemCtx, user: Addressee): Promise<void> {
  const { userId, email } = user;
  return mailUser(ctx, user, ({ name, tenantId }) => ({
    subject: `Verify your email address for ${name}`,
    paragraphs: [`Please confirm that ${email} is your address, so that ${name} can reach you there.`],
    button: { label: 'Verify email address', url: verificationUrl(ctx, { userId, email, tenantId }) },
    expiry: `This link expires in ${verificationMinutes} minutes. You can ask for a new one whenever you are signed in.`,
    warning: `If you have no account at ${name}, ignore this mail: without the link nothing happens.`,
  }));
}

export async function verifyEmail(ctx: SystemCtx, link: VerificationLink): Promise<{ already_verified?: true }> {
  const tenantId = await checkLink(ctx, link);
  return ctx.central.tx(async (tx) => {
    // Of two clicks at once, the second waits here and finds the address verified.
    const user = await findLinked(tx, { link, tenantId, lock: sql`FOR UPDATE` });
    if (user.verified) return { already_verified: true };
    await tx.run(
      sql`UPDATE users SET email_verified_at = ${ctx.now()}, updated_at = ${ctx.now()} WHERE id = ${user.id}`,
    );
    await record(ctx, { action: 'email_verified', userId: user.id, tenantId, details: { email: user.email } }, tx);
    return {};
  });
}

/** What the link would do, without doing it. */
export async function previewVerification(ctx: SystemCtx, link: VerificationLink): Promise<FoundUser> {
  return findLinked(ctx.central, { link, tenantId: await checkLink(ctx, link), lock: empty });
}

/** Mails the link again; the answer says so, or that there is nothing left to verify. */
export async function resendVerification(ctx: SystemCtx): Promise<{ message: string }> {
  const { id: userId, name } = ctx.user;
  const user = await ctx.central.row<{ email: string | null; verified: boolean }>(
    sql`SELECT email, email_verified_at IS NOT NULL AS verified FROM users WHERE id = ${userId}`,
  );
  if (!user?.email || user.verified) return { message: 'Your email address is verified already.' };
  ctx.system.limits.take(`resend ${userId}`, ctx.system.options.resendsPerMinute);
  await sendVerification(ctx, { userId, name, email: user.email });
  return { message: 'A new verification link is on its way.' };
}

/** The id of the tenant that a good link names, if it names one. */
async function checkLink(ctx: SystemCtx, link: VerificationLink): Promise<string | undefined> {
  const tenant = link.tenant === undefined ? undefined : await ctx.system.tenants.find(link.tenant);
  checkSignature(ctx, link);
  return tenant?.id;
}

/**
 * The user whose present address the link is for. A user who is no member of the tenant is as unknown there as one who
 * does not exist: else anyone could write into the activity log of any tenant.
 */
async function findLinked(
  db: Db,
  { link, tenantId, lock }: { link: VerificationLink; tenantId: string | undefined; lock: Sql },
): Promise<FoundUser> {
  if (!/^[1-9]\d{0,14}$/.test(link.id)) throw badLink();
  const user = await db.row<FoundUser>(sql`
    SELECT u.id, u.email, u.email_verified_at IS NOT NULL AS verified FROM users u
    WHERE u.id = ${Number(link.id)} AND u.kind = 'person' AND u.disabled_at IS NULL AND u.email IS NOT NULL
      AND (${tenantId ?? null}::text IS NULL OR EXISTS (
        SELECT FROM memberships m WHERE m.user_id = u.id AND m.tenant_id = ${tenantId ?? null}))
    ${lock}`);
  if (!user || addressHash(user.email) !== link.hash) throw badLink();
  return user;
}
