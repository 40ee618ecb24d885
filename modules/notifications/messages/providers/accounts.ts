import {
  type Ctx,
  changesBetween,
  type Failure,
  forbidden,
  type Issues,
  invalid,
  removedFields,
  sql,
} from '@chowk/kit';
import { fail } from '../../errors.ts';
import type { Options, TwilioInput } from './schemas.ts';

/** For 24 hours after a secret is replaced, requests are signed with both. */
const overlapMs = 24 * 3_600_000;

type Name = keyof Options;

interface Stored<Provider extends Name> {
  readonly name: Provider;
  readonly options: Options[Provider];
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_expires_at: string | null;
  readonly updated_at: string;
}

export function storedProvider<Provider extends Name>(ctx: Ctx, name: Provider): Promise<Stored<Provider> | undefined> {
  return ctx.db.row<Stored<Provider>>(sql`
    SELECT name, options, secret, previous_secret_expires_at, updated_at,
      CASE WHEN previous_secret_expires_at > ${ctx.now()} THEN previous_secret END AS previous_secret
    FROM message_providers WHERE name = ${name}`);
}

/** The secrets that are valid now, the newest first. */
export function openSecrets(ctx: Ctx, { name, secret, previous_secret }: Stored<Name>): string[] {
  return [secret, previous_secret].filter((text) => text !== null).map((text) => ctx.secrets.open(name, text));
}

/** For requests to Twilio, which other servers must not get. */
export function twilioAuthorization(ctx: Ctx, account: Stored<'twilio'>): string {
  const [token] = openSecrets(ctx, account);
  return `Basic ${Buffer.from(`${account.options.account_sid}:${token}`).toString('base64')}`;
}

export async function getAccounts(ctx: Ctx) {
  const [twilio, webhook] = await Promise.all([storedProvider(ctx, 'twilio'), storedProvider(ctx, 'webhook')]);
  return { twilio: twilio ? shownTwilio(twilio) : null, webhook: webhook ? shownWebhook(webhook) : null };
}

function shownTwilio({ options, updated_at }: Stored<'twilio'>) {
  const { account_sid, sms_from = null, whatsapp_from = null } = options;
  return { account_sid, sms_from, whatsapp_from, updated_at };
}

function shownWebhook({ options: { url }, previous_secret_expires_at, updated_at }: Stored<'webhook'>) {
  return { url, previous_secret_expires_at, updated_at };
}

export async function saveTwilio(ctx: Ctx, { auth_token, ...options }: TwilioInput) {
  return ctx.tx(async (tx) => {
    const current = await lockProvider(tx, 'twilio');
    const isKnown = current?.options.account_sid === options.account_sid;
    if (auth_token === undefined && !isKnown) {
      throw invalid({ auth_token: { code: 'required', message: 'The auth token of this account is required.' } });
    }
    const secret =
      auth_token === undefined ? (current as Stored<'twilio'>).secret : tx.secrets.seal('twilio', auth_token);
    return shownTwilio(await save(tx, current, { name: 'twilio', options, secret }));
  });
}

export function checkWebhook(ctx: Ctx, { url }: Partial<Options['webhook']>, issues: Issues): void {
  mustViewSensitive(ctx);
  try {
    if (url !== undefined) ctx.http.check(url);
  } catch (failure) {
    issues.add('url', (failure as Failure).message, 'not_allowed');
  }
}

/** The first time it has a new secret. */
export async function saveWebhook(ctx: Ctx, options: Options['webhook']) {
  return ctx.tx(async (tx) => {
    const current = await lockProvider(tx, 'webhook');
    const secret = current ? null : tx.http.newSigningSecret();
    const sealed = current?.secret ?? tx.secrets.seal('webhook', secret as string);
    return { webhook: shownWebhook(await save(tx, current, { name: 'webhook', options, secret: sealed })), secret };
  });
}

export async function rotateSecret(ctx: Ctx) {
  const secret = ctx.http.newSigningSecret();
  return ctx.tx(async (tx) => {
    const expiresAt = new Date(tx.now().getTime() + overlapMs);
    const updated = await tx.db.run(sql`
      UPDATE message_providers SET previous_secret = secret, previous_secret_expires_at = ${expiresAt},
        secret = ${tx.secrets.seal('webhook', secret)}, updated_at = ${tx.now()}
      WHERE name = 'webhook'`);
    if (updated === 0) throw fail('notifications.provider_not_found', { name: 'webhook' });
    return { webhook: shownWebhook((await storedProvider(tx, 'webhook')) as Stored<'webhook'>), secret };
  });
}

export async function deleteProvider(ctx: Ctx, name: Name): Promise<void> {
  await ctx.tx(async (tx) => {
    const current = await lockProvider(tx, name);
    if (!current) throw fail('notifications.provider_not_found', { name });
    await tx.db.run(sql`DELETE FROM message_providers WHERE name = ${name}`);
    tx.audit(removedFields(current.options));
  });
}

/** The second of two concurrent changes sees the first, even if there was no row before. */
async function lockProvider<Provider extends Name>(ctx: Ctx, name: Provider): Promise<Stored<Provider> | undefined> {
  await ctx.db.run(sql`LOCK TABLE message_providers IN SHARE ROW EXCLUSIVE MODE`);
  return storedProvider(ctx, name);
}

async function save<Provider extends Name>(
  ctx: Ctx,
  current: Stored<Provider> | undefined,
  { name, options, secret }: Pick<Stored<Provider>, 'name' | 'options' | 'secret'>,
): Promise<Stored<Provider>> {
  const nothing = Object.fromEntries(Object.keys(options).map((field) => [field, null]));
  ctx.audit(changesBetween<object>(current?.options ?? nothing, options));
  await ctx.db.run(sql`
    INSERT INTO message_providers (name, options, secret, updated_at)
    VALUES (${name}, ${JSON.stringify(options)}::jsonb, ${secret}, ${ctx.now()})
    ON CONFLICT (name) DO UPDATE SET options = excluded.options, secret = excluded.secret, updated_at = excluded.updated_at`);
  return (await storedProvider(ctx, name)) as Stored<Provider>;
}

/** Its server gets phone numbers and texts, so choosing it needs the permission to see them. */
function mustViewSensitive(ctx: Ctx): void {
  if (!ctx.can('customers.view_sensitive')) throw forbidden('customers.view_sensitive');
}
