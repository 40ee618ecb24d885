import type { Db, Mail, SystemCtx } from '@chowk/kit';
import { findOrganization, type Organization } from './organization.ts';

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

/** Queues a mail to a user in `tx`, the transaction that is the reason for it. */
export async function mailUser(
  ctx: SystemCtx,
  tx: Db,
  user: Addressee,
  write: (organization: Organization) => Omit<Mail, 'to' | 'organization' | 'recipient'>,
): Promise<void> {
  if (user.email === null) return;
  const organization = await findOrganization(ctx, tx, user);
  const mail = { ...write(organization), to: user.email, organization: organization.name, recipient: user.name };
  await ctx.system.mail.send(mail, tx);
}

/** `undefined` for a name that a mail program would turn into a link: the mail may go to a stranger. */
export function unlessLink(name: string): string | undefined {
  return /[/:@\\]|\.\p{L}/u.test(name) ? undefined : name;
}
