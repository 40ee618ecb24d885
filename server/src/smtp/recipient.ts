import { Context } from '../context/context.ts';
import type { Kernel } from '../kernel.ts';
import type { DirectoryEntry } from '../tenancy/directory.ts';

/** Whom a mail is for. */
export interface Recipient {
  readonly tenant: DirectoryEntry;
  readonly address: string;
}

/** The tenant of `acme@mail.example.com` or `reply+….acme@mail.example.com`; `undefined` if it takes no mails to this address. */
export async function findRecipient(kernel: Kernel, text: string): Promise<Recipient | undefined> {
  const address = text.toLowerCase();
  const [local = '', domain] = address.split('@');
  const tenantId = local.slice(local.lastIndexOf('.') + 1);
  if (domain !== kernel.config.inboundMailDomain || !/^[a-z0-9-]{1,63}$/.test(tenantId)) return undefined;
  const tenant = await kernel.directory.entry(tenantId);
  if (!tenant) return undefined;
  const { bus } = new Context(kernel, { requestId: 'smtp', tenant, system: true });
  const isTaken = await bus.callIfInstalled('mailbox.takesMail', { address });
  return isTaken ? { tenant, address } : undefined;
}
