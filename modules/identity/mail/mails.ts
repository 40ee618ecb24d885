import { greet, layoutMail, type MailContent, type SystemCtx } from '@chowk/kit';
import { type Organization, organizationOf } from './organization.ts';

/** The recipient of a mail. */
export interface Addressee {
  readonly userId: number;
  readonly name: string;
  /** `null`: the user has no address, and no mail is sent. */
  readonly email: string | null;
  /**
   * The tenant that the mail is sent for; default: the tenant of the call. The user must be a member of it by the time a
   * link in the mail is followed.
   */
  readonly tenantId?: string | undefined;
}

export async function mailUser(
  ctx: SystemCtx,
  user: Addressee,
  write: (organization: Organization) => Omit<MailContent, 'organization' | 'greeting'>,
): Promise<void> {
  if (user.email === null) return;
  const organization = await organizationOf(ctx, user);
  const { name } = organization;
  await sendMail(ctx, user.email, { ...write(organization), organization: name, greeting: greet(user.name) });
}

export async function sendMail(ctx: SystemCtx, to: string, content: MailContent): Promise<void> {
  await ctx.system.mail.send({ to, ...layoutMail(content) });
}
