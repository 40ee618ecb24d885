import { type Ctx, changesBetween, type Issues, removedFields, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import type { Keys } from './providers/provider.ts';
import { providers } from './providers/providers.ts';
import {
  type KeyCheck,
  type PaymentProviderAccount,
  type ProviderKeys,
  type ProviderName,
  providerNames,
} from './schemas.ts';

/** For 24 hours after the webhook secret is replaced, callbacks may be signed with the one before. */
const overlapMs = 24 * 3_600_000;

interface Account {
  readonly key_id: string | null;
  readonly secret_key: string;
  readonly webhook_secret: string;
  readonly previous_webhook_secret: string | null;
  readonly updated_at: string;
}

type Key = { readonly provider: ProviderName };

function findAccount(ctx: Ctx, provider: ProviderName): Promise<Account | undefined> {
  return ctx.db.row<Account>(sql`
    SELECT key_id, secret_key, webhook_secret, updated_at,
      CASE WHEN previous_webhook_secret_expires_at > ${ctx.now()} THEN previous_webhook_secret END AS previous_webhook_secret
    FROM payment_accounts WHERE provider = ${provider}`);
}

/** `undefined` if the tenant has saved none. */
export async function findKeys(ctx: Ctx, provider: ProviderName): Promise<Keys | undefined> {
  const account = await findAccount(ctx, provider);
  return account && { keyId: account.key_id, secretKey: ctx.secrets.open(provider, account.secret_key) };
}

/** The secrets that may have signed a callback. */
export async function findWebhookSecrets(ctx: Ctx, provider: ProviderName): Promise<string[]> {
  const account = await findAccount(ctx, provider);
  return [account?.webhook_secret, account?.previous_webhook_secret]
    .filter((secret) => secret !== undefined && secret !== null)
    .map((secret) => ctx.secrets.open(provider, secret));
}

export async function getProviders(ctx: Ctx): Promise<{ providers: PaymentProviderAccount[] }> {
  return { providers: await Promise.all(providerNames.map((provider) => describeProvider(ctx, provider))) };
}

async function describeProvider(ctx: Ctx, provider: ProviderName): Promise<PaymentProviderAccount> {
  const { 'payments.provider': chosen } = await ctx.settings();
  const account = await findAccount(ctx, provider);
  const keyName = account && (account.key_id ?? ctx.secrets.open(provider, account.secret_key));
  return {
    provider,
    is_configured: account !== undefined,
    is_chosen: chosen === provider,
    key_id: account?.key_id ?? null,
    mode: keyName === undefined ? null : /^\w+_live_/.test(keyName) ? 'live' : 'test',
    callback_url: `${ctx.tenantUrl}/api/v1/payments/callbacks/${provider}`,
    callback_events: [...providers[provider].events],
    updated_at: account?.updated_at ?? null,
  };
}

export async function checkKeys(
  ctx: Ctx,
  { provider, key_id, secret_key, webhook_secret }: Partial<ProviderKeys>,
  issues: Issues,
): Promise<Account | undefined> {
  if (provider === undefined) return undefined;
  // The second of two concurrent changes sees the first, even if there was no row before.
  await ctx.db.run(sql`LOCK TABLE payment_accounts IN SHARE ROW EXCLUSIVE MODE`);
  const current = await findAccount(ctx, provider);
  const isNew = !current || (key_id !== undefined && key_id !== current.key_id);
  const mustHave = (field: string, value: string | undefined) => {
    if (value === undefined)
      issues.add(field, `The ${field.replaceAll('_', ' ')} of this account is required.`, 'required');
  };
  if (provider === 'razorpay' && !current) mustHave('key_id', key_id);
  if (provider === 'stripe' && key_id !== undefined) issues.add('key_id', 'Stripe has no key id.', 'not_allowed');
  if (provider === 'stripe' && secret_key !== undefined && !/^[sr]k_(test|live)_\w+$/.test(secret_key)) {
    issues.add('secret_key', 'A secret key of Stripe begins with sk_test_, sk_live_, rk_test_ or rk_live_.');
  }
  if (isNew) mustHave('secret_key', secret_key);
  if (!current) mustHave('webhook_secret', webhook_secret);
  return current;
}

export async function saveKeys(
  ctx: Ctx,
  { provider, key_id, secret_key, webhook_secret }: ProviderKeys,
  current: Account | undefined,
): Promise<PaymentProviderAccount> {
  const seal = (text: string | undefined) => (text === undefined ? null : ctx.secrets.seal(provider, text));
  const [now, keyId] = [ctx.now(), key_id ?? current?.key_id ?? null];
  await ctx.db.run(sql`
    INSERT INTO payment_accounts AS a (provider, key_id, secret_key, webhook_secret, updated_at)
    VALUES (${provider}, ${keyId}, coalesce(${seal(secret_key)}, ${current?.secret_key ?? null}),
      coalesce(${seal(webhook_secret)}, ${current?.webhook_secret ?? null}), ${now})
    ON CONFLICT (provider) DO UPDATE SET key_id = excluded.key_id, secret_key = excluded.secret_key,
      webhook_secret = excluded.webhook_secret, updated_at = excluded.updated_at,
      previous_webhook_secret = CASE WHEN ${webhook_secret !== undefined} THEN a.webhook_secret
        ELSE a.previous_webhook_secret END,
      previous_webhook_secret_expires_at = CASE WHEN ${webhook_secret !== undefined}
        THEN ${new Date(now.getTime() + overlapMs)}::timestamptz ELSE a.previous_webhook_secret_expires_at END`);
  ctx.audit(changesBetween<object>({ key_id: current?.key_id ?? null }, { key_id: keyId }));
  return describeProvider(ctx, provider);
}

export async function deleteKeys(ctx: Ctx, { provider }: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const account = await tx.db.row<{ key_id: string | null }>(
      sql`DELETE FROM payment_accounts WHERE provider = ${provider} RETURNING key_id`,
    );
    if (!account) throw fail('payments.provider_not_found', { provider });
    tx.audit(removedFields(account));
  });
}

export async function tryKeys(ctx: Ctx, { provider }: Key): Promise<KeyCheck> {
  const keys = await findKeys(ctx, provider);
  if (!keys) throw fail('payments.provider_not_found', { provider });
  const outcome = await providers[provider].tryKeys(ctx, keys);
  return outcome.status === 'done' ? { works: true, reason: null } : { works: false, reason: outcome.reason };
}
