import { randomInt } from 'node:crypto';
import { type Db, invalid, type SystemCtx, sql } from '@chowk/kit';
import { generateSecret, generateURI } from 'otplib';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { hashSecret } from '../secret-tokens.ts';
import { limitFailures } from '../sign-in/limit-failures.ts';
import { consumeTotp, removeFactor, secretPurpose } from './second-factor.ts';
import { sendSecurityNotice } from './security-notice.ts';

const recoveryCodeCount = 10;
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

interface RecoveryCodes {
  recovery_codes: string[];
}

interface TwoFactorRow {
  secret: string | null;
  confirmed: boolean;
}

/** Creates a secret. It is in effect after a code was confirmed. */
export async function beginTwoFactor(ctx: SystemCtx): Promise<{ secret: string; otpauth_uri: string }> {
  const { id, email, signInEmail } = ctx.user;
  const secret = generateSecret();
  const updated = await ctx.central.run(sql`
    UPDATE users SET two_factor_secret = ${ctx.system.secrets.seal(secretPurpose, secret, String(id))}, updated_at = now()
    WHERE id = ${id} AND two_factor_confirmed_at IS NULL`);
  if (updated === 0) throw fail('identity.two_factor_on');
  return { secret, otpauth_uri: generateURI({ issuer: 'Chowk', label: signInEmail ?? email, secret }) };
}

export async function confirmTwoFactor(ctx: SystemCtx, { otp }: { otp: string }): Promise<RecoveryCodes> {
  const limit = { key: `two-factor ${ctx.user.id}`, perMinute: ctx.system.options.loginFailuresPerMinute };
  return { recovery_codes: await limitFailures(ctx, limit, () => turnOn(ctx, otp)) };
}

function turnOn(ctx: SystemCtx, otp: string): Promise<string[]> {
  const { id } = ctx.user;
  return ctx.central.tx(async (tx) => {
    const row = await tx.row<TwoFactorRow>(sql`
      SELECT two_factor_secret AS secret, two_factor_confirmed_at IS NOT NULL AS confirmed FROM users
      WHERE id = ${id} FOR UPDATE`);
    if (row?.confirmed) throw fail('identity.two_factor_on');
    if (!row?.secret) throw fail('identity.two_factor_not_begun');
    if (!(await consumeTotp(ctx, tx, id, row.secret, otp))) throw invalid({ otp: 'The code is wrong.' });
    await tx.run(sql`UPDATE users SET two_factor_confirmed_at = now(), updated_at = now() WHERE id = ${id}`);
    const codes = await replaceRecoveryCodes(tx, id);
    await record(ctx, { action: 'two_factor_enabled' }, tx);
    await sendNotice(ctx, tx, {
      change: 'Two-factor authentication was turned on',
      effect: 'Signing in now requires a code of your authenticator app.',
    });
    return codes;
  });
}

export async function disableTwoFactor(ctx: SystemCtx): Promise<void> {
  const { id } = ctx.user;
  await ctx.central.tx(async (tx) => {
    if (!(await removeFactor(tx, id))) return;
    await record(ctx, { action: 'two_factor_disabled' }, tx);
    await sendNotice(ctx, tx, {
      change: 'Two-factor authentication was turned off',
      effect: 'Signing in now requires only your password.',
    });
  });
}

export async function renewRecoveryCodes(ctx: SystemCtx): Promise<RecoveryCodes> {
  const { id } = ctx.user;
  return ctx.central.tx(async (tx) => {
    // The lock makes a concurrent request replace the codes of this one.
    const user = await tx.row(sql`
      SELECT FROM users WHERE id = ${id} AND two_factor_confirmed_at IS NOT NULL FOR UPDATE`);
    if (!user) throw fail('identity.two_factor_off');
    const recovery_codes = await replaceRecoveryCodes(tx, id);
    await record(ctx, { action: 'recovery_codes_renewed' }, tx);
    await sendNotice(ctx, tx, { change: 'New recovery codes were created', effect: 'The old codes are invalid.' });
    return { recovery_codes };
  });
}

function sendNotice(ctx: SystemCtx, tx: Db, { change, effect }: { change: string; effect: string }): Promise<void> {
  const { id: userId, name, signInEmail: email } = ctx.user;
  return sendSecurityNotice(ctx, tx, { userId, name, email }, (organization) => ({
    subject: `${change} for your ${organization} account`,
    text: `${change} for your account at ${organization}. ${effect}`,
  }));
}

async function replaceRecoveryCodes(tx: Db, userId: number): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, createRecoveryCode);
  const hashes = codes.map((code) => hashSecret(code.replace('-', '')));
  await tx.run(sql`DELETE FROM recovery_codes WHERE user_id = ${userId}`);
  await tx.run(sql`INSERT INTO recovery_codes (user_id, code_hash) SELECT ${userId}, unnest(${hashes}::bytea[])`);
  return codes;
}

/** Ten characters, 49 bits: enough with the limit on failures. */
function createRecoveryCode(): string {
  const half = () => Array.from({ length: 5 }, () => letters.charAt(randomInt(letters.length))).join('');
  return `${half()}-${half()}`;
}
