import type { SystemCtx } from '@chowk/kit';
import { type MailContent, mailHtml } from './mail-html.ts';
import { type Organization, organizationOf } from './organization.ts';

/** A mail to one person about one thing. */
export interface Message extends MailContent {
  readonly to: string;
}

/** A user who is mailed. */
export interface Addressee {
  readonly userId: number;
  readonly name: string;
  readonly email: string;
  /**
   * The tenant that the mail speaks for, the one the call is bound to unless said otherwise. The user must be a member
   * of it by the time a link in the mail is followed.
   */
  readonly tenantId?: string | undefined;
}

/** Longer subjects are cut by every mail program, and names may be long. */
const longestSubject = 150;

export async function mailUser(
  ctx: SystemCtx,
  user: Addressee,
  write: (organization: Organization) => Omit<MailContent, 'organization' | 'greeting'>,
): Promise<void> {
  const organization = await organizationOf(ctx, user);
  const { name } = organization;
  await sendMail(ctx, { ...write(organization), to: user.email, organization: name, greeting: greet(user.name) });
}

export async function sendMail(ctx: SystemCtx, message: Message): Promise<void> {
  const clean = cleaned(message);
  await ctx.system.mail.send({
    to: clean.to,
    subject: shortened(clean.subject),
    text: mailText(clean),
    html: mailHtml(clean),
  });
}

/**
 * Names are chosen by people who may have mails sent to strangers. One that a mail program would turn into a link is
 * left out.
 */
export function greet(name: string): string {
  return looksLikeLink(name) ? 'Hello,' : `Hello ${name},`;
}

/** A name for a sentence in a mail to a stranger. */
export function named(name: string, otherwise: string): string {
  return looksLikeLink(name) ? otherwise : name;
}

function looksLikeLink(name: string): boolean {
  return /[/:@\\]|\.\p{L}/u.test(name);
}

function mailText({ organization, greeting, paragraphs, button, expiry, warning }: MailContent): string {
  const link = button ? [`${button.label}:\n${button.url}`] : [];
  return [greeting, ...paragraphs, ...link, ...(expiry ? [expiry] : []), warning, `-- \n${organization}`].join('\n\n');
}

function cleaned(message: Message): Message {
  return JSON.parse(JSON.stringify(message), (key, value) =>
    typeof value === 'string' && key !== 'url' ? oneLine(value) : value,
  );
}

/** A line break in a name would begin a header or a paragraph of its own, and a mark of direction turn what follows. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

function shortened(subject: string): string {
  const characters = [...subject];
  return characters.length <= longestSubject ? subject : `${characters.slice(0, longestSubject - 1).join('')}…`;
}
