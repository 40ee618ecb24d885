import { timingSafeEqual } from 'node:crypto';
import type { Ctx } from '@chowk/kit';

declare module '@chowk/kit/catalogue' {
  interface ModuleOptions {
    /** The domain at which the platform receives mails; null if it receives none. */
    readonly mailDomain: string | null;
  }
}

/** The longest part before the @ (RFC 5321, section 4.5.3.1.1). */
const maxLocal = 64;
const idLength = 26;
const macLength = 13;

/** The address at which the platform receives mails for the tenant. */
export function ownAddress(ctx: Ctx): string | null {
  const { mailDomain } = ctx.options;
  return mailDomain && `${ctx.tenant.id}@${mailDomain}`;
}

interface Answered {
  /** Without it, mails that belong to no conversation yet. */
  readonly conversation_id?: string | undefined;
}

/** The address at which the platform receives what comes back to a mail; null if it receives none. */
export function returnPath(ctx: Ctx, { conversation_id }: Answered): string | null {
  return conversation_id === undefined ? ownAddress(ctx) : replyAddress(ctx, { conversation_id });
}

/**
 * The address for answers to a conversation: `reply+<conversation>.<signature>.<tenant>`. For a tenant whose id is too long for
 * it, that of the tenant: the headers of an answer name the conversation as well.
 */
export function replyAddress(ctx: Ctx, { conversation_id }: { conversation_id: string }): string | null {
  const { mailDomain } = ctx.options;
  const [signature] = sign(ctx, conversation_id) as [string];
  const id = toBase32(`0x${conversation_id.replaceAll('-', '')}`, idLength);
  const local = `reply+${id}.${signature}.${ctx.tenant.id}`;
  return local.length > maxLocal ? ownAddress(ctx) : mailDomain && `${local}@${mailDomain}`;
}

/** The conversation of an address for answers; `undefined` for other addresses and if the signature is wrong. */
export function findConversation(ctx: Ctx, address: string): string | undefined {
  const parts = /^reply\+([0-9a-v]{26})\.([0-9a-v]{13})\.([a-z0-9-]+)@/.exec(address.toLowerCase());
  if (parts?.[3] !== ctx.tenant.id) return undefined;
  const [, id = '', signature = ''] = parts;
  const conversation = toUuid(id);
  const given = Buffer.from(signature);
  const isGenuine = sign(ctx, conversation).some((expected) => timingSafeEqual(Buffer.from(expected), given));
  return isGenuine ? conversation : undefined;
}

/** Whether mails to this address, which names the tenant, are received. */
export async function takesMail(ctx: Ctx, { address }: { address: string }): Promise<boolean> {
  if (!(await ctx.bus.isInstalled('conversations.receive'))) return false;
  const [local = ''] = address.split('@');
  return /^[a-z0-9-]+$/.test(local) || findConversation(ctx, address) !== undefined;
}

/** One for each key of the installation. Addresses are compared without regard to case. */
function sign(ctx: Ctx, conversationId: string): string[] {
  return ctx.secrets
    .sign('reply address', conversationId)
    .map((mac) => toBase32(`0x${Buffer.from(mac).toString('hex', 0, 8)}`, macLength));
}

function toBase32(number: string, length: number): string {
  return BigInt(number).toString(32).padStart(length, '0');
}

function toUuid(base32: string): string {
  const number = [...base32].reduce((sum, digit) => sum * 32n + BigInt(Number.parseInt(digit, 32)), 0n);
  const hex = BigInt.asUintN(128, number).toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
