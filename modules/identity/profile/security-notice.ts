import type { SystemCtx } from '@chowk/kit';
import { greet, sendMail } from '../mail/mails.ts';
import { organizationOf } from '../mail/organization.ts';

/** Mails the caller that its account was changed: if it was somebody else, this is how it learns. */
export async function noticeOf(ctx: SystemCtx, change: { what: string; after: string }): Promise<void> {
  const { id: userId, name, email } = ctx.user;
  const organization = await organizationOf(ctx, { userId });
  await sendMail(ctx, {
    to: email,
    subject: `${change.what} for your ${organization.name} account`,
    organization: organization.name,
    greeting: greet(name),
    paragraphs: [`${change.what} for your account at ${organization.name}. ${change.after}`],
    warning: `If that was not you, ask for a new password at once: choose "Forgot password" where you sign in to ${organization.name}.`,
  });
}
