import { Html, html, type Mail } from '@chowk/kit/kernel';

/** A mail as it is sent. */
export interface LaidOutMail {
  readonly fromName?: string;
  readonly messageId?: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly replyTo?: string;
  readonly returnPath?: string;
  readonly unsubscribeUrl?: string;
}

type Content = Omit<Mail, 'fromName' | 'messageId' | 'to' | 'replyTo' | 'returnPath'>;

const font =
  "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Noto Sans','Noto Sans Arabic',Helvetica,Arial,sans-serif";

// Mail programs read inline styles, which are for light mode. The style sheet adds dark mode where it is supported. The colors are
// those of the console (`web/src/styles.css`), which mail programs do not understand in OKLCH.
const style = new Html(`<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 620px) { .card { padding: 24px 20px !important; } }
@media (prefers-color-scheme: dark) {
  body, .page { background-color: #0d1014 !important; }
  .card { background-color: #15171c !important; border-color: #2b2e33 !important; }
  .text { color: #eceff2 !important; }
  .quiet { color: #a6abb3 !important; }
  .rule { border-color: #2b2e33 !important; }
  .link { color: #31c8c9 !important; }
}
</style>`);

/** Names may be long, and mail programs cut longer subjects. */
const maxSubjectLength = 150;

/** The subject, the plain text and the HTML of a mail. Line breaks in names cannot add headers or paragraphs. */
export function layoutMail({ fromName, messageId, to, replyTo, returnPath, ...content }: Mail): LaidOutMail {
  const clean = cleanTexts(content);
  const subject = shorten(clean.subject);
  const { unsubscribeUrl } = content;
  return {
    ...(fromName !== undefined && { fromName }),
    ...(messageId !== undefined && { messageId }),
    ...(replyTo !== undefined && { replyTo }),
    ...(returnPath !== undefined && { returnPath }),
    to,
    subject,
    text: writeText(clean),
    html: writeHtml(clean),
    ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
  };
}

/** Leaves out a name that a mail program would turn into a link: users choose names, and mails may go to strangers. */
function greet(name: string): string {
  return name === '' || looksLikeLink(name) ? 'Hello,' : `Hello ${name},`;
}

function looksLikeLink(name: string): boolean {
  return /[/:@\\]|\.\p{L}/u.test(name);
}

function cleanTexts(content: Content): Content {
  return JSON.parse(JSON.stringify(content), (key, value) =>
    typeof value === 'string' && key !== 'url' && key !== 'unsubscribeUrl' ? toOneLine(value) : value,
  );
}

/** Also removes marks that change the direction of the text that follows. */
function toOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

function shorten(subject: string): string {
  const characters = [...subject];
  return characters.length <= maxSubjectLength ? subject : `${characters.slice(0, maxSubjectLength - 1).join('')}…`;
}

/** The greeting and the paragraphs. */
function writeBody({ recipient, paragraphs }: Content): readonly string[] {
  return recipient === undefined ? paragraphs : [greet(recipient), ...paragraphs];
}

function writeText(content: Content): string {
  const { organization, button, expiry, warning, unsubscribeUrl } = content;
  const unsubscribe = unsubscribeUrl === undefined ? [] : [`Unsubscribe:\n${unsubscribeUrl}`];
  const link = button ? [`${button.label}:\n${button.url}`] : [];
  const parts = [...writeBody(content), ...link, expiry, warning, ...unsubscribe, `-- \n${organization}`];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

/** Tables and inline styles, which mail programs render alike; no images, since many programs block them. */
function writeHtml(content: Content): string {
  const { subject, organization, paragraphs, button, expiry, warning, unsubscribeUrl } = content;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${subject}</title>
${style}
</head>
<body style="margin:0;padding:0;background-color:#fbfaf8">
${preheader(paragraphs[0] ?? subject)}
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#fbfaf8" style="background-color:#fbfaf8">
<tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px">
<tr><td class="text" dir="auto" style="padding:0 4px 16px;font:600 16px/1.4 ${font};color:#151b24;word-break:break-word">${organization}</td></tr>
<tr><td class="card" bgcolor="#ffffff" style="padding:32px;background-color:#ffffff;border:1px solid #dfe1e5;border-radius:10px">
${writeBody(content).map(paragraph)}
${button && buttonWithLink(button)}
${expiry ? note(expiry) : undefined}
${warning === undefined ? undefined : footnote(warning)}
${unsubscribeUrl === undefined ? undefined : footnote(unsubscribeLink(unsubscribeUrl))}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`.toString();
}

/** The preview in a list of mails; the blanks keep the text after it out of the preview. */
function preheader(text: string): Html {
  const blanks = new Html('&#8199;&#65279;&#847; '.repeat(60));
  return html`<div style="display:none;overflow:hidden;max-height:0;max-width:0;opacity:0;font-size:1px;line-height:1px">${text}${blanks}</div>`;
}

function paragraph(text: string): Html {
  return html`<p class="text" dir="auto" style="margin:0 0 16px;font:400 16px/1.55 ${font};color:#151b24;word-break:break-word">${text}</p>
`;
}

function unsubscribeLink(url: string): Html {
  return html`<a class="link" href="${url}" style="color:#007475;text-decoration:underline">Unsubscribe</a>`;
}

function note(text: string | Html): Html {
  return html`<p class="quiet" dir="auto" style="margin:0 0 8px;font:400 14px/1.5 ${font};color:#525864;word-break:break-word">${text}</p>
`;
}

function footnote(text: string | Html): Html {
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="rule" style="padding:8px 0 0;border-bottom:1px solid #dfe1e5;font-size:0;line-height:0">&#160;</td></tr></table>
<div style="height:16px;line-height:16px">&#160;</div>
${note(text)}`;
}

/** The link is also shown as text, for programs without buttons and for readers who check it first. */
function buttonWithLink({ label, url }: { label: string; url: string }): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px"><tr><td bgcolor="#007475" style="border-radius:8px;background-color:#007475">
<a href="${url}" style="display:inline-block;padding:13px 24px;font:600 16px/1.2 ${font};color:#ffffff;text-decoration:none;border-radius:8px">${label}</a>
</td></tr></table>
${note('Or copy this address into your browser:')}
<p dir="ltr" style="margin:0 0 16px;font:400 14px/1.5 ${font};word-break:break-all"><a class="link" href="${url}" style="color:#007475;text-decoration:underline">${url}</a></p>
`;
}
