import { Html, html } from './html.ts';

/** What a mail says. */
export interface MailContent {
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

const font =
  "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Noto Sans','Noto Sans Arabic',Helvetica,Arial,sans-serif";

// Inline styles are what every mail program reads, and are for light mode; the sheet is for those that know dark mode.
const style = new Html(`<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 620px) { .card { padding: 24px 20px !important; } }
@media (prefers-color-scheme: dark) {
  body, .page { background-color: #14161a !important; }
  .card { background-color: #1e2127 !important; border-color: #343943 !important; }
  .text { color: #e8eaee !important; }
  .quiet { color: #a9b0bd !important; }
  .rule { border-color: #343943 !important; }
  .link { color: #9db7ff !important; }
}
</style>`);

/** Tables and inline styles, because that is what mail programs show alike; no images, so nothing is blocked. */
export function mailHtml(content: MailContent): string {
  const { subject, organization, greeting, paragraphs, button, expiry, warning } = content;
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
<body style="margin:0;padding:0;background-color:#f4f5f7">
${preheader(paragraphs[0] ?? subject)}
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f4f5f7" style="background-color:#f4f5f7">
<tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px">
<tr><td class="text" dir="auto" style="padding:0 4px 16px;font:600 16px/1.4 ${font};color:#1f2430;word-break:break-word">${organization}</td></tr>
<tr><td class="card" bgcolor="#ffffff" style="padding:32px;background-color:#ffffff;border:1px solid #e1e4ea;border-radius:10px">
${[greeting, ...paragraphs].map(paragraph)}
${button && action(button)}
${expiry ? note(expiry) : undefined}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="rule" style="padding:8px 0 0;border-bottom:1px solid #e1e4ea;font-size:0;line-height:0">&#160;</td></tr></table>
<div style="height:16px;line-height:16px">&#160;</div>
${note(warning)}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`.toString();
}

/** What a list of mails shows beside the subject; the blanks keep the rest of the mail out of it. */
function preheader(text: string): Html {
  const blanks = new Html('&#8199;&#65279;&#847; '.repeat(60));
  return html`<div style="display:none;overflow:hidden;max-height:0;max-width:0;opacity:0;font-size:1px;line-height:1px">${text}${blanks}</div>`;
}

function paragraph(text: string): Html {
  return html`<p class="text" dir="auto" style="margin:0 0 16px;font:400 16px/1.55 ${font};color:#1f2430;word-break:break-word">${text}</p>
`;
}

function note(text: string): Html {
  return html`<p class="quiet" dir="auto" style="margin:0 0 8px;font:400 14px/1.5 ${font};color:#5b6270;word-break:break-word">${text}</p>
`;
}

/** The link is also there to be read and copied: some programs show no buttons, and some readers trust none. */
function action({ label, url }: { label: string; url: string }): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px"><tr><td bgcolor="#1d4ed8" style="border-radius:8px;background-color:#1d4ed8">
<a href="${url}" style="display:inline-block;padding:13px 24px;font:600 16px/1.2 ${font};color:#ffffff;text-decoration:none;border-radius:8px">${label}</a>
</td></tr></table>
${note('Or copy this address into your browser:')}
<p dir="ltr" style="margin:0 0 16px;font:400 14px/1.5 ${font};word-break:break-all"><a class="link" href="${url}" style="color:#1d4ed8;text-decoration:underline">${url}</a></p>
`;
}
