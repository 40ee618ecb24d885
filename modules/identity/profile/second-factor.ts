import { type Db, type FieldError, type SystemCtx, sql } from '@chowk/kit';
import { verify } from 'otplib';
import { fail } from '../errors.ts';
import type { Addressee } from '../mail/mails.ts';
import { hashSecret } from '../secret-tokens.ts';
import { sendSecurityNotice } from './security-notice.ts';

export const secretPurpose = 'two-factor';
/** For differing clocks. */
const toleranceSeconds = 30;
const maxFailures = 5;
const firstLockMinutes = 15;
const maxLockMinutes = 24 * 60;

interface Attempt extends Addressee {
  readonly secret: string | null;
  /** For how long this attempt locks the codes if it fails; `null`: it does not. */
  readonly lock_minutes: number | null;
}

/**
 * Whether the code of the app or the recovery code is valid. Each code is accepted once. Too many wrong ones lock the
 * codes and notify the owner: whoever enters them knows the password.
 */
export function checkCode(ctx: SystemCtx, userId: number, otp: string): Promise<boolean> {
  return ctx.central.tx(async (tx) => {
    const attempt = await beginAttempt(ctx, tx, userId);
    const isValid = await consumeCode(ctx, tx, userId, attempt.secret ?? '', otp);
    if (isValid) await unlockCodes(tx, userId);
    else if (attempt.lock_minutes !== null) await notifyOwner(ctx, tx, attempt, attempt.lock_minutes);
    return isValid;
  });
}

export const wrongCode: FieldError = { code: 'invalid', message: 'The code is wrong or was used before.' };

export async function unlockCodes(tx: Db, userId: number): Promise<void> {
  await tx.run(sql`UPDATE users SET two_factor_failures = 0, two_factor_locked_until = NULL WHERE id = ${userId}`);
}

/** Returns whether two-factor authentication was on. A secret that was not confirmed yet is removed as well. */
export async function removeFactor(tx: Db, userId: number): Promise<boolean> {
  const before = await tx.row<{ on: boolean }>(sql`
    SELECT two_factor_confirmed_at IS NOT NULL AS "on" FROM users WHERE id = ${userId} FOR UPDATE`);
  await tx.run(sql`
    UPDATE users SET two_factor_secret = NULL, two_factor_confirmed_at = NULL, two_factor_last_step = NULL,
      updated_at = now() WHERE id = ${userId}`);
  await unlockCodes(tx, userId);
  await tx.run(sql`DELETE FROM recovery_codes WHERE user_id = ${userId}`);
  return before?.on ?? false;
}

/** Counts the attempt and locks the user, so that concurrent attempts are counted one after the other. */
async function beginAttempt(ctx: SystemCtx, tx: Db, userId: number): Promise<Attempt> {
  const lock = sql`CASE WHEN (two_factor_failures + 1) % ${maxFailures} = 0 THEN
    least(${firstLockMinutes} * 2 ^ (two_factor_failures / ${maxFailures}), ${maxLockMinutes})::integer END`;
  const attempt = await tx.row<Attempt>(sql`
    WITH attempt AS (
      SELECT id, ${lock} AS lock_minutes FROM users
      WHERE id = ${userId} AND coalesce(two_factor_locked_until, '-infinity') <= ${ctx.now()} FOR UPDATE)
    UPDATE users u SET two_factor_failures = two_factor_failures + 1,
      two_factor_locked_until = ${ctx.now()}::timestamptz + make_interval(mins => a.lock_minutes)
    FROM attempt a WHERE u.id = a.id
    RETURNING u.id AS "userId", u.name, u.email, u.two_factor_secret AS secret, a.lock_minutes`);
  if (!attempt) throw await locked(ctx, tx, userId);
  return attempt;
}

async function locked(ctx: SystemCtx, tx: Db, userId: number) {
  const user = await tx.row<{ seconds: number }>(sql`
    SELECT ceil(extract(epoch FROM two_factor_locked_until - ${ctx.now()}::timestamptz))::integer AS seconds
    FROM users WHERE id = ${userId}`);
  const seconds = Math.max(1, user?.seconds ?? 1);
  const headers = { 'Retry-After': String(seconds) };
  return fail('identity.two_factor_locked', { minutes: Math.ceil(seconds / 60) }, { headers });
}

function notifyOwner(ctx: SystemCtx, tx: Db, owner: Addressee, minutes: number): Promise<void> {
  return sendSecurityNotice(ctx, tx, owner, (organization) => ({
    subject: `Wrong codes for your ${organization} account`,
    text: `Someone entered your password at ${organization} and then ${maxFailures} wrong codes. Codes are refused for ${minutes} minutes.`,
  }));
}

async function consumeCode(ctx: SystemCtx, tx: Db, userId: number, sealed: string, otp: string): Promise<boolean> {
  const code = otp.replace(/[\s-]/g, '').toLowerCase();
  if (/^\d{6}$/.test(code)) return consumeTotp(ctx, tx, userId, sealed, code);
  const used = await tx.run(sql`
    UPDATE recovery_codes SET used_at = now()
    WHERE user_id = ${userId} AND code_hash = ${hashSecret(code)} AND used_at IS NULL`);
  return used === 1;
}

export async function consumeTotp(
  ctx: SystemCtx,
  tx: Db,
  userId: number,
  sealed: string,
  token: string,
): Promise<boolean> {
  if (!/^\d{6}$/.test(token)) return false;
  const secret = ctx.system.secrets.open(secretPurpose, sealed, String(userId));
  const epoch = Math.floor(ctx.now().getTime() / 1_000);
  const result = await verify({ secret, token, epoch, epochTolerance: toleranceSeconds });
  if (!result.valid || !('timeStep' in result)) return false;
  // The condition accepts one of several concurrent requests with the same code.
  const updated = await tx.run(sql`
    UPDATE users SET two_factor_last_step = ${result.timeStep}
    WHERE id = ${userId} AND coalesce(two_factor_last_step, -1) < ${result.timeStep}`);
  return updated === 1;
}
