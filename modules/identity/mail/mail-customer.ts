import type { SystemCtx } from '@chowk/kit';

interface CustomerMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Each line of the text is a paragraph. The tenant is the sender. */
export async function mailCustomer(ctx: SystemCtx, { id, to, subject, text }: CustomerMail): Promise<void> {
  const organization = ctx.tenant.name;
  const paragraphs = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  await ctx.queueMail({ fromName: organization, to, subject, organization, paragraphs }, { id });
}
