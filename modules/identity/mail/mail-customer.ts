import type { SystemCtx } from '@chowk/kit';
import { tenantOrigin } from './mail-members.ts';

interface CustomerMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Of the page with which the customer unsubscribes. */
  readonly unsubscribe_path?: string;
}

/** Each line of the text is a paragraph. The tenant is the sender. */
export async function mailCustomer(ctx: SystemCtx, mail: CustomerMail): Promise<void> {
  const { id, to, subject, text, unsubscribe_path: path } = mail;
  const organization = ctx.tenant.name;
  const paragraphs = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const unsubscribe = path === undefined ? {} : { unsubscribeUrl: tenantOrigin(ctx) + path };
  await ctx.queueMail({ fromName: organization, to, subject, organization, paragraphs, ...unsubscribe }, { id });
}
