import { randomInt } from 'node:crypto';
import { type Db, invalid, type SystemCtx, sql } from '@chowk/kit';
import { generateSecret, generateURI, verify } from 'otplib';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { hashOf } from '../secret-tokens.ts';
import { limitFailures } from '../sign-in/limit-failures.ts';
import { type Confirmation, mustBeRecent } from './own-session.ts';
import { sendSecurityNotice } from './security-notice.ts';

const purpose = 'two-factor';
const codesMade = 10;
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
/** Clocks of telephones differ. */
const toleranceSeconds = 30;

interface RecoveryCodes {
  recovery_codes: string[];
}

interface TwoFactorRow {
  secret: string | null;
  confirmed: boolean;
}

/** A secret for the authenticator app; it counts once a code has been confirmed. */
export async function beginTwoFactor(
  ctx: SystemCtx,
  confirmation: Confirmation,
): Promise<{ secret: string; otpauth_uri: string }> {
  await mustBeRecent(ctx, confirmation);
  const { id, email } = ctx.user;
  const secret = generateSecret();
  const begun = await ctx.central.run(sql`
    UPDATE users SET two_factor_secret = ${ctx.system.secrets.seal(purpose, secret, String(id))}, updated_at = now()
    WHERE id = ${id} AND two_factor_confirmed_at IS NULL`);
  if (begun === 0) throw fail('identity.two_factor_on');
  return { secret, otpauth_uri: generateURI({ issuer: 'Chowk', label: email, secret }) };
}

/** Turns it on and answers with the recovery codes, this once. */
export async function confirmTwoFactor(ctx: SystemCtx, { otp }: { otp: string }): Promise<RecoveryCodes> {
  const limit = { key: `two-factor ${ctx.user.id}`, perMinute: ctx.system.options.loginFailuresPerMinute };
  const recovery_codes = await limitFailures(ctx, limit, () => turnOn(ctx, otp));
  await sendNotice(ctx, {
    change: 'Two-factor authentication was switched on',
    effect: 'From now on a sign-in needs a code of your authenticator app as well.',
  });
  return { recovery_codes };
}

function turnOn(ctx: SystemCtx, otp: string): Promise<string[]> {
  const { id } = ctx.user;
  return ctx.central.tx(async (tx) => {
    const row = await tx.row<TwoFactorRow>(sql`
      SELECT two_factor_secret AS secret, two_factor_confirmed_at IS NOT NULL AS confirmed FROM users
      WHERE id = ${id} FOR UPDATE`);
    if (row?.confirmed) throw fail('identity.two_factor_on');
    if (!row?.secret) throw fail('identity.two_factor_not_begun');
    if (!(await takeTotp(ctx, tx, id, row.secret, otp))) throw invalid({ otp: 'The code is wrong.' });
    await tx.run(sql`UPDATE users SET two_factor_confirmed_at = now(), updated_at = now() WHERE id = ${id}`);
    const fresh = await replaceRecoveryCodes(tx, id);
    await record(ctx, { action: 'two_factor_enabled' }, tx);
    return fresh;
  });
}

export async function disableTwoFactor(ctx: SystemCtx, confirmation: Confirmation): Promise<void> {
  await mustBeRecent(ctx, confirmation);
  const { id } = ctx.user;
  const ended = await ctx.central.tx(async (tx) => {
    const ended = await tx.run(sql`
      UPDATE users SET two_factor_secret = NULL, two_factor_confirmed_at = NULL, two_factor_last_step = NULL,
        updated_at = now() WHERE id = ${id} AND two_factor_confirmed_at IS NOT NULL`);
    await tx.run(sql`DELETE FROM recovery_codes WHERE user_id = ${id}`);
    if (ended > 0) await record(ctx, { action: 'two_factor_disabled' }, tx);
    return ended > 0;
  });
  if (!ended) return;
  await sendNotice(ctx, {
    change: 'Two-factor authentication was switched off',
    effect: 'A sign-in needs nothing but your password now.',
  });
}

export async function renewRecoveryCodes(ctx: SystemCtx, confirmation: Confirmation): Promise<RecoveryCodes> {
  await mustBeRecent(ctx, confirmation);
  if (!ctx.user.twoFactor) throw fail('identity.two_factor_off');
  const recovery_codes = await ctx.central.tx(async (tx) => {
    const fresh = await replaceRecoveryCodes(tx, ctx.user.id);
    await record(ctx, { action: 'recovery_codes_renewed' }, tx);
    return fresh;
  });
  await sendNotice(ctx, { change: 'New recovery codes were made', effect: 'The old ones are void.' });
  return { recovery_codes };
}

function sendNotice(ctx: SystemCtx, { change, effect }: { change: string; effect: string }): Promise<void> {
  const { id: userId, name, email } = ctx.user;
  return sendSecurityNotice(ctx, { userId, name, email }, (organization) => ({
    subject: `${change} for your ${organization} account`,
    text: `${change} for your account at ${organization}. ${effect}`,
  }));
}

/** Whether a code of the app, or a recovery code, is good; good once. */
export async function takeCode(ctx: SystemCtx, userId: number, sealed: string, otp: string): Promise<boolean> {
  const code = otp.replace(/[\s-]/g, '').toLowerCase();
  if (/^\d{6}$/.test(code)) return takeTotp(ctx, ctx.central, userId, sealed, code);
  const used = await ctx.central.run(sql`
    UPDATE recovery_codes SET used_at = now()
    WHERE user_id = ${userId} AND code_hash = ${hashOf(code)} AND used_at IS NULL`);
  return used === 1;
}

async function takeTotp(ctx: SystemCtx, db: Db, userId: number, sealed: string, token: string): Promise<boolean> {
  if (!/^\d{6}$/.test(token)) return false;
  const secret = ctx.system.secrets.open(purpose, sealed, String(userId));
  const epoch = Math.floor(ctx.now().getTime() / 1_000);
  const result = await verify({ secret, token, epoch, epochTolerance: toleranceSeconds });
  if (!result.valid || !('timeStep' in result)) return false;
  // Of two that send the same code at once, one gets in.
  const taken = await db.run(sql`
    UPDATE users SET two_factor_last_step = ${result.timeStep}
    WHERE id = ${userId} AND coalesce(two_factor_last_step, -1) < ${result.timeStep}`);
  return taken === 1;
}

async function replaceRecoveryCodes(tx: Db, userId: number): Promise<string[]> {
  const fresh = Array.from({ length: codesMade }, newRecoveryCode);
  const hashes = fresh.map((code) => hashOf(code.replace('-', '')));
  await tx.run(sql`DELETE FROM recovery_codes WHERE user_id = ${userId}`);
  await tx.run(sql`INSERT INTO recovery_codes (user_id, code_hash) SELECT ${userId}, unnest(${hashes}::bytea[])`);
  return fresh;
}

/** Ten characters, 49 bits: with the limit on failures, more than anyone guesses. */
function newRecoveryCode(): string {
  const half = () => Array.from({ length: 5 }, () => letters.charAt(randomInt(letters.length))).join('');
  return `${half()}-${half()}`;
}
