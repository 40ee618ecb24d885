import type { SystemCtx } from '@chowk/kit';
import { sendMail } from './mails.ts';

export interface Verification {
  readonly userId: number;
  readonly name: string;
  readonly email: string;
  readonly tenantId?: string | undefined;
}

/** Asks the owner of an address to confirm it. */
export async function sendVerification(ctx: SystemCtx, { name, email }: Verification): Promise<void> {
  await sendMail(ctx, {
    to: email,
    subject: 'Verify your email address',
    organization: 'Chowk',
    greeting: `Hello ${name},`,
    paragraphs: ['Please verify your email address.'],
    warning: 'If you did not ask for this, ignore this mail.',
  });
}
