import type { SystemCtx } from '@chowk/kit';

/** A mail to one person about one thing. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  /** The tenant's name, or the platform's where no tenant is concerned. */
  readonly organization: string;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  readonly button?: { readonly label: string; readonly url: string };
  /** Until when the link is good, in words. */
  readonly expiry?: string;
  /** What to do if one did not expect it. */
  readonly warning: string;
}

export async function sendMail(ctx: SystemCtx, message: Message): Promise<void> {
  await ctx.platform.mail.send({
    to: message.to,
    subject: message.subject,
    text: asText(message),
    html: asHtml(message),
  });
}

function asText({ organization, greeting, paragraphs, button, expiry, warning }: Message): string {
  const link = button ? [`${button.label}:\n${button.url}`] : [];
  return [greeting, ...paragraphs, ...link, ...(expiry ? [expiry] : []), warning, `-- \n${organization}`].join('\n\n');
}

function asHtml({ subject, organization, greeting, paragraphs, button, expiry, warning }: Message): string {
  const lines = [greeting, ...paragraphs].map((line) => `<p>${escapeHtml(line)}</p>`);
  const link = button ? `<p><a href="${escapeHtml(button.url)}">${escapeHtml(button.label)}</a></p>` : '';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body>${lines.join('')}${link}${expiry ? `<p>${escapeHtml(expiry)}</p>` : ''}<p>${escapeHtml(warning)}</p><p>${escapeHtml(organization)}</p></body></html>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
