import { type Ctx, Email, invalid, Type } from '@chowk/kit';
import { Phone } from '../schemas.ts';
import { type ProviderName, providerFor, sendWith } from './messages.ts';
import { getAccounts, storedProvider } from './providers/accounts.ts';
import type { Channel, ChannelTest, ChannelTestResult, MessageChannel } from './providers/schemas.ts';
import { twilioCallbackUrl } from './providers/twilio.ts';
import { findObstacle, takeFromQuota } from './quota.ts';

declare module '@chowk/kit/catalogue' {
  interface ModuleOptions {
    /** The sender of the platform's mails: `Shop <shop@example.com>` or an address alone. */
    readonly mailFrom: string;
    /** Without one, mails are kept as files and not sent. */
    readonly hasMailServer: boolean;
  }
}

const names = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' };
const channels: readonly Channel[] = ['email', 'sms', 'whatsapp'];

export async function describeProviders(ctx: Ctx) {
  return {
    ...(await getAccounts(ctx)),
    twilio_callback_url: twilioCallbackUrl(ctx, 'inbound'),
    webhook_callback_url: `${ctx.tenantUrl}/api/v1/message-providers/webhook/inbound`,
    channels: await Promise.all(channels.map((channel) => describeChannel(ctx, channel))),
  };
}

async function describeChannel(ctx: Ctx, channel: Channel): Promise<MessageChannel> {
  const provider = await providerFor(ctx, channel);
  const sender = await findSender(ctx, channel, provider);
  return { channel, provider, sender, obstacle: await findChannelObstacle(ctx, channel) };
}

async function findSender(ctx: Ctx, channel: Channel, provider: ProviderName): Promise<string | null> {
  if (channel === 'email') return `${ctx.tenant.name} <${ctx.options.mailFrom.replace(/^.*<|>$/g, '')}>`;
  const account = provider === 'twilio' ? await storedProvider(ctx, 'twilio') : undefined;
  return account?.options[`${channel}_from`] ?? null;
}

const noMailServer = 'No mail server is configured: the operator of the platform must set MAIL_URL.';

/** Why messages of the channel would not be sent now. */
export async function findChannelObstacle(ctx: Ctx, channel: Channel): Promise<string | null> {
  const provider = await providerFor(ctx, channel);
  if (provider === 'log' && channel === 'email') return noMailServer;
  if (provider === 'log') return `${names[channel]} is not set up: the organization has chosen no provider.`;
  if (provider === 'twilio' && (await findSender(ctx, channel, provider)) === null) {
    return `${names[channel]} is not set up: the account at Twilio has no sender for it.`;
  }
  if (provider === 'webhook' && !(await storedProvider(ctx, 'webhook'))) {
    return `${names[channel]} is not set up: there is no address of your own server.`;
  }
  return (await findObstacle(ctx)) ?? null;
}

const recipients = { email: Type.Object({ to: Email }), phone: Type.Object({ to: Phone }) };

export async function testChannel(ctx: Ctx, { channel, to }: ChannelTest): Promise<ChannelTestResult> {
  const errors = ctx.check(channel === 'email' ? recipients.email : recipients.phone, { to });
  if (errors) throw invalid(errors);
  const obstacle = (await findChannelObstacle(ctx, channel)) ?? (await takeFromQuota(ctx));
  if (obstacle !== null && obstacle !== undefined) return { is_sent: false, reason: obstacle };
  const outcome = await sendWith(ctx, await providerFor(ctx, channel), {
    id: ctx.newId(),
    channel,
    recipient: to,
    subject: `Test of ${ctx.tenant.name}`,
    body: `This is a test message of ${ctx.tenant.name}.`,
    is_reply: false,
    letter: null,
    template: null,
    customer_id: null,
    purpose: 'transactional',
  });
  return outcome.status === 'sent' ? { is_sent: true, reason: null } : { is_sent: false, reason: outcome.reason };
}
