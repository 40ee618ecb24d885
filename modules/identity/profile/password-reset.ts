import { type Db, type Issues, type SystemCtx, sql, systemJob, Type } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { record } from '../activity/activity.ts';
import { type Addressee, mailUser } from '../mail/mails.ts';
import { badToken, hashSecret, newSecret, unusableLink } from '../secret-tokens.ts';
import { cancelEmailChange } from './email-ownership.ts';
import { endAccessBeforeProof } from './first-proof.ts';
import { type ChosenPassword, checkNewPassword } from './new-password.ts';
import { deletePasswordResets, sendPasswordChanged } from './password.ts';
import { unlockCodes } from './second-factor.ts';

const resetMinutes = 60;
/** The first password of an account that someone else has created: its mail may be read days later. */
const firstDays = 3;

interface LinkedUser extends Addressee {
  readonly email: string;
  /** The hash of a password that another person is known to have. */
  readonly exposed_hash: string | null;
}

interface ResetLink {
  readonly token: string;
  readonly email?: string;
}

/**
 * Mails a link to choose a new password, or the first one. Earlier links stay valid until one is used: otherwise a
 * stranger could invalidate them by requesting new ones.
 */
export async function sendPasswordReset(
  ctx: SystemCtx,
  tx: Db,
  userId: number,
  reasons?: readonly string[],
): Promise<void> {
  const user = await tx.row<Addressee & { hasPassword: boolean }>(sql`
    SELECT id AS "userId", name, email, password_hash IS NOT NULL AS "hasPassword" FROM users
    WHERE id = ${userId} AND kind = 'person' AND disabled_at IS NULL AND email IS NOT NULL`);
  if (!user) return;
  const token = newSecret();
  await tx.run(sql`
    INSERT INTO password_resets (token_hash, user_id, created_at, expires_at)
    VALUES (${hashSecret(token)}, ${userId}, ${ctx.now()},
      ${ctx.now()}::timestamptz + make_interval(mins => ${user.hasPassword ? resetMinutes : firstDays * 24 * 60}))`);
  const button = { label: 'Choose a password', url: `${ctx.system.url}/password/reset/${token}` };
  if (!user.hasPassword) {
    return mailUser(ctx, tx, user, ({ name }) => ({
      subject: `Choose a password for ${name}`,
      paragraphs: [`An account at ${name} was created for you. Choose a password to sign in.`],
      button,
      expiry: `This link expires in ${firstDays} days and can be used once.`,
      warning: 'If you did not expect this mail, ignore it.',
    }));
  }
  await mailUser(ctx, tx, user, ({ name }) => ({
    subject: `Choose a new password for ${name}`,
    paragraphs: reasons ?? [`A new password was requested for your account at ${name}.`],
    button,
    expiry: `This link expires in ${resetMinutes} minutes and can be used once.`,
    warning: reasons
      ? 'If you did not expect this mail, use the link anyway: another person may know your password.'
      : 'If you did not request this, ignore this mail: your password is unchanged.',
  }));
}

/** A worker looks up the address, so that neither the response nor its timing reveals whether an account exists. */
export async function requestPasswordReset(ctx: SystemCtx, { email }: { email: string }): Promise<void> {
  const { limits, options } = ctx.system;
  // Higher, because many people may share a network.
  limits.take(`forgot from ${ctx.client.network}`, options.resendsPerMinute * 10);
  // No error: it would reveal that another person has requested links for this address.
  const key = `forgot ${email}`;
  if (!limits.has(key, options.resendsPerMinute)) return;
  limits.take(key, options.resendsPerMinute);
  await ctx.jobs.add('identity.forgot_password', { email });
}

export const passwordJobs = {
  'identity.forgot_password': systemJob({
    data: Type.Object({ email: Type.String() }),
    queue: 'mail',
    async run(ctx, { email }) {
      const user = await ctx.central.row<{ id: number }>(sql`SELECT id FROM users WHERE email = ${email}`);
      if (user) await ctx.central.tx((tx) => sendPasswordReset(ctx, tx, user.id));
    },
  }),
};

/** The address that the user of the link signs in with. */
export async function previewPasswordReset(ctx: SystemCtx, { token }: ResetLink): Promise<{ email: string }> {
  const user = await findLinkedUser(ctx, { token });
  if (!user) throw badToken();
  return { email: user.email };
}

/** `undefined` if the link is invalid. */
async function findLinkedUser(ctx: SystemCtx, { token, email }: ResetLink): Promise<LinkedUser | undefined> {
  const user = await ctx.central.row<LinkedUser>(sql`
    SELECT u.id AS "userId", u.name, u.email,
      CASE WHEN u.password_exposed_at IS NOT NULL THEN u.password_hash END AS exposed_hash
    FROM password_resets r JOIN users u ON u.id = r.user_id
    WHERE r.token_hash = ${hashSecret(token)} AND r.expires_at > ${ctx.now()} AND u.disabled_at IS NULL AND u.email IS NOT NULL`);
  return email === undefined || email === user?.email ? user : undefined;
}

export async function checkPasswordReset(
  ctx: SystemCtx,
  { token, ...reset }: Partial<ResetLink & ChosenPassword>,
  issues: Issues,
): Promise<LinkedUser | undefined> {
  checkNewPassword(reset, issues);
  if (token === undefined) return undefined;
  const user = await findLinkedUser(ctx, { ...reset, token });
  if (!user) issues.addAll({ token: [unusableLink] });
  else if (reset.password !== undefined) await checkExposed(ctx, user, reset.password, issues);
  return user;
}

async function checkExposed(
  ctx: SystemCtx,
  { exposed_hash: hash }: LinkedUser,
  password: string,
  issues: Issues,
): Promise<void> {
  if (hash === null || !(await getAccounts(ctx.system).passwords.verify(password, hash, ctx.client))) return;
  issues.add('password', 'Choose a different password: another person may know this one.');
}

/**
 * Also verifies the address, because the link was mailed to it, and cancels a change of it: whoever requested the change
 * may be the reason for the new password.
 */
export async function resetPassword(
  ctx: SystemCtx,
  { token, password }: ResetLink & ChosenPassword,
  user: LinkedUser,
): Promise<void> {
  const { userId } = user;
  const passwordHash = await getAccounts(ctx.system).passwords.hash(password, ctx.client);
  await ctx.central.tx(async (tx) => {
    // Every change of an address or a password locks the user first.
    const locked = await tx.row<{ verified: boolean }>(sql`
      SELECT email_verified_at IS NOT NULL AS verified FROM users WHERE id = ${userId} FOR UPDATE`);
    const used = await tx.run(sql`DELETE FROM password_resets WHERE token_hash = ${hashSecret(token)}`);
    if (used === 0) throw badToken();
    await deletePasswordResets(tx, userId);
    await tx.run(sql`
      UPDATE users SET password_hash = ${passwordHash}, email_verified_at = coalesce(email_verified_at, ${ctx.now()}),
        password_exposed_at = NULL, updated_at = ${ctx.now()} WHERE id = ${userId}`);
    await cancelEmailChange(tx, userId);
    await unlockCodes(tx, userId);
    if (locked?.verified) await getAccounts(ctx.system).sessions.revokeAll(userId, { db: tx });
    else await endAccessBeforeProof(ctx, tx, userId);
    await record(ctx, { action: 'password_reset', userId }, tx);
    if (!locked?.verified) await record(ctx, { action: 'email_verified', userId, details: { email: user.email } }, tx);
    await sendPasswordChanged(ctx, tx, user);
  });
}

declare module '@chowk/kit/catalogue' {
  interface Jobs {
    'identity.forgot_password': { email: string };
  }
}
