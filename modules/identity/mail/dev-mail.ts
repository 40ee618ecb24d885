import { type KeptMail, notFound, type SystemCtx, systemAction, Type } from '@chowk/kit';
import { type Html, html } from './html.ts';
import { page } from './page.ts';

const common = { root: true, page: true, tag: 'Development', public: true, tenant: 'none' } as const;

/** What would have been sent. There in development alone: the links in it are as good as passwords. */
export const devMailActions = {
  'pages.mails': systemAction({
    ...common,
    summary: 'Show the mails that were kept instead of sent',
    description: 'Not in production.',
    http: 'GET /dev/mail',
    input: Type.Object({ format: Type.Optional(Type.Enum(['html', 'json'])) }),
    run: async (ctx, { format }) => {
      mustBeDevelopment(ctx, '/dev/mail');
      const mails = await ctx.system.mail.kept();
      return format === 'json' ? { mails } : listPage(mails);
    },
  }),
  'pages.mail': systemAction({
    ...common,
    summary: 'Show a mail that was kept instead of sent',
    description: 'Not in production.',
    http: 'GET /dev/mail/:id',
    input: Type.Object({ id: Type.String() }),
    run: async (ctx, { id }) => {
      mustBeDevelopment(ctx, `/dev/mail/${id}`);
      const mail = (await ctx.system.mail.kept()).find((one) => one.id === id);
      return mail ? mailPage(mail) : missingPage();
    },
  }),
};

/**
 * A page of another origin may call the API from a developer's browser, also under a name of its own that leads to this
 * machine; it must not read the mails here.
 */
function mustBeDevelopment({ system: { environment, baseDomain }, client }: SystemCtx, path: string): void {
  const name = String(client.header('host')).replace(/:\d*$/, '').toLowerCase();
  const isOurs =
    name === baseDomain || name.endsWith(`.${baseDomain}`) || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(name);
  if (environment === 'production' || client.header('origin') !== undefined || !isOurs) throw notFound('GET', path);
}

function listPage(mails: readonly KeptMail[]) {
  const refresh = html`<p><a href="/dev/mail">Refresh</a></p>`;
  const body = mails.length === 0 ? emptyList : html`${listOf(mails)}`;
  return page({ title: 'Mails', wide: true, body: html`${refresh}${body}` });
}

const emptyList = html`<p>No mails yet. What the platform would send is kept here while <code>MAIL_URL</code> is not set.</p>
<p class="quiet">Invite somebody or ask for a new password, then refresh. A mail arrives within a few seconds, if a worker is running.</p>`;

function listOf(mails: readonly KeptMail[]): Html {
  const rows = mails.map(
    ({ id, to, subject, at }) => html`<tr><td><time datetime="${at}">${readable(at)}</time></td><td>${to}</td>
<td><a href="/dev/mail/${id}">${subject}</a></td></tr>
`,
  );
  return html`<table><thead><tr><th scope="col">Time</th><th scope="col">To</th><th scope="col">Subject</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function mailPage({ from, to, at, subject, text, html: markup }: KeptMail) {
  // The frame runs no scripts and is of no origin; its links open beside it.
  const framed = `<base target="_blank">${markup}`;
  const body = html`<p><a href="/dev/mail">All mails</a></p>
<table>
<tr><th scope="row">From</th><td>${from}</td></tr>
<tr><th scope="row">To</th><td>${to}</td></tr>
<tr><th scope="row">Time</th><td><time datetime="${at}">${readable(at)}</time></td></tr>
</table>
<h2>HTML</h2>
<iframe title="The mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${framed}"></iframe>
<h2>Text</h2>
<pre>${withLinks(text)}</pre>`;
  return page({ title: subject, wide: true, body });
}

function missingPage() {
  const body = html`<p>This mail is not here, or no longer among the newest. <a href="/dev/mail">All mails</a></p>`;
  return page({ title: 'No such mail', status: 404, body });
}

function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) =>
      index % 2 === 1 ? html`<a href="${part}" target="_blank" rel="noreferrer">${part}</a>` : html`${part}`,
    );
}

function readable(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}
