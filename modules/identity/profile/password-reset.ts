import { type Db, invalid, platformJob, type SystemCtx, sql, Type } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { greet, sendMail } from '../mail/mails.ts';
import { organizationOf } from '../mail/organization.ts';
import { hashOf, newSecret } from '../secret-tokens.ts';
import { forgetPasswordResets, tellPasswordChanged } from './password.ts';
import { checkNewPassword } from './passwords.ts';

const resetMinutes = 60;

interface Account {
  id: number;
  name: string;
  email: string;
}

interface Resetting extends Account {
  /** The password that somebody else is known to have. */
  exposed_hash: string | null;
}

/**
 * Mails a link to choose a new password, or the first one. Those mailed before stay good until one is used: else a
 * stranger who keeps asking could keep the owner from ever using one.
 */
export async function sendPasswordReset(ctx: SystemCtx, userId: number, reason?: string): Promise<void> {
  const user = await findPerson(ctx.central, userId);
  if (!user) return;
  const token = newSecret();
  await ctx.central.tx(async (tx) => {
    await tx.run(sql`
      INSERT INTO password_resets (token_hash, user_id, created_at, expires_at)
      VALUES (${hashOf(token)}, ${userId}, ${ctx.now()},
        ${ctx.now()}::timestamptz + make_interval(mins => ${resetMinutes}))`);
  });
  const organization = await organizationOf(ctx, { userId });
  await sendMail(ctx, {
    to: user.email,
    subject: `Choose a new password for ${organization.name}`,
    organization: organization.name,
    greeting: greet(user.name),
    paragraphs: [
      reason ?? `Somebody, probably you, asked for a new password for your account at ${organization.name}.`,
    ],
    button: { label: 'Choose a password', url: `${ctx.platform.url}/password/reset/${token}` },
    expiry: `This link expires in ${resetMinutes} minutes and is good once.`,
    warning: reason
      ? 'If you did not expect this mail, use the link nevertheless: somebody may know your password.'
      : 'If you did not ask for this, ignore this mail: your password stays as it is.',
  });
}

/** Whether an address exists shows in nothing that the asker sees or measures: a worker looks it up, later. */
export async function askForPasswordReset(ctx: SystemCtx, { email }: { email: string }): Promise<void> {
  const { limits, options } = ctx.platform;
  // Many people may share a network, so that has room for more.
  limits.take(`forgot from ${ctx.client.network}`, options.resendsPerMinute * 10);
  // Enough links are on their way already. Whoever asks is not told: it may not have been the one who asked before.
  const key = `forgot ${email.toLowerCase()}`;
  if (!limits.has(key, options.resendsPerMinute)) return;
  limits.take(key, options.resendsPerMinute);
  await ctx.jobs.add('identity.forgot_password', { email: email.toLowerCase() });
}

export const passwordJobs = {
  'identity.forgot_password': platformJob({
    data: Type.Object({ email: Type.String() }),
    queue: 'mail',
    async run(ctx, { email }) {
      const user = await ctx.central.row<{ id: number }>(sql`SELECT id FROM users WHERE email = ${email}`);
      if (user) await sendPasswordReset(ctx, user.id);
    },
  }),
};

/** Throws for a link that is not good. */
export async function checkResetToken(ctx: SystemCtx, { token, email }: { token: string; email?: string | undefined }) {
  const user = await ctx.central.row<Resetting>(sql`
    SELECT u.id, u.name, u.email, CASE WHEN u.password_exposed_at IS NOT NULL THEN u.password_hash END AS exposed_hash
    FROM password_resets r JOIN users u ON u.id = r.user_id
    WHERE r.token_hash = ${hashOf(token)} AND r.expires_at > ${ctx.now()} AND u.disabled_at IS NULL`);
  if (!user || (email !== undefined && user.email !== email.toLowerCase())) throw badToken();
  return user;
}

/** The link proves the address as well. */
export async function resetPassword(
  ctx: SystemCtx,
  reset: { token: string; email?: string | undefined; password: string; password_confirmation: string },
): Promise<void> {
  checkNewPassword(reset);
  const user = await checkResetToken(ctx, reset);
  if (user.exposed_hash && (await ctx.platform.passwords.verify(reset.password, user.exposed_hash))) {
    throw invalid({ password: ['Choose another password: somebody else knows this one.'] });
  }
  const passwordHash = await ctx.platform.passwords.hash(reset.password);
  await ctx.central.tx(async (tx) => {
    // First the user, as everyone who changes an address or a password does; then the link may have been used.
    await tx.run(sql`SELECT FROM users WHERE id = ${user.id} FOR UPDATE`);
    const used = await tx.run(sql`DELETE FROM password_resets WHERE token_hash = ${hashOf(reset.token)}`);
    if (used === 0) throw badToken();
    await forgetPasswordResets(tx, user.id);
    await tx.run(sql`
      UPDATE users SET password_hash = ${passwordHash}, email_verified_at = coalesce(email_verified_at, ${ctx.now()}),
        password_exposed_at = NULL, updated_at = ${ctx.now()} WHERE id = ${user.id}`);
    await ctx.platform.sessions.revokeAll(user.id, { db: tx });
    await record(ctx, { action: 'password_reset', userId: user.id }, tx);
  });
  await tellPasswordChanged(ctx, { userId: user.id, name: user.name, email: user.email });
}

function findPerson(db: Db, userId: number): Promise<Account | undefined> {
  return db.row<Account>(sql`
    SELECT id, name, email FROM users
    WHERE id = ${userId} AND kind = 'person' AND disabled_at IS NULL AND email IS NOT NULL`);
}

function badToken() {
  return invalid({ token: ['This link is not valid any more: it was used, has expired or is not complete.'] });
}

declare module '@chowk/kit/catalogue' {
  interface Jobs {
    'identity.forgot_password': { email: string };
  }
}
