import type { SystemCtx } from '@chowk/kit';
import { type Addressee, mailUser } from '../mail/mails.ts';

/** Mails a user that its account was changed: if it was somebody else, this is how it learns. */
export function sendSecurityNotice(
  ctx: SystemCtx,
  user: Addressee,
  write: (organization: string) => { subject: string; text: string },
): Promise<void> {
  return mailUser(ctx, user, ({ name }) => {
    const { subject, text } = write(name);
    const warning = `If that was not you, ask for a new password at once: choose "Forgot password" where you sign in to ${name}.`;
    return { subject, paragraphs: [text], warning };
  });
}
