import { type Html, html, notFound, type SystemCtx, systemAction, Type } from '@chowk/kit';
import { devPage } from './dev-page.ts';

type StoredMail = Awaited<ReturnType<SystemCtx['system']['mail']['listStored']>>[number];

const common = { root: true, webPage: true, tag: 'Development', public: true, tenant: 'none' } as const;

/** Mails that were stored instead of sent. Not in production: the links in them give access to accounts. */
export const devMailActions = {
  'pages.mails': systemAction({
    ...common,
    summary: 'Show the mails that were stored instead of sent',
    description: 'Only for requests from this machine, and not in production.',
    http: 'GET /dev/mail',
    input: Type.Object({ format: Type.Optional(Type.Enum(['html', 'json'])) }),
    run: async (ctx, { format }) => {
      mustBeDevelopment(ctx, '/dev/mail');
      const mails = await ctx.system.mail.listStored();
      return format === 'json' ? { mails } : listPage(mails);
    },
  }),
  'pages.mail': systemAction({
    ...common,
    summary: 'Show a mail that was stored instead of sent',
    description: 'Only for requests from this machine, and not in production.',
    http: 'GET /dev/mail/:id',
    input: Type.Object({ id: Type.String() }),
    run: async (ctx, { id }) => {
      mustBeDevelopment(ctx, `/dev/mail/${id}`);
      const mail = (await ctx.system.mail.listStored()).find((mail) => mail.id === id);
      return mail ? mailPage(mail) : missingPage();
    },
  }),
};

/** Only for a developer's own machine, and not for foreign web pages in the developer's browser. */
function mustBeDevelopment({ system, client }: SystemCtx, path: string): void {
  const isForeign = client.header('origin') !== undefined || !system.isOwnHost(client);
  if (system.environment === 'production' || !client.isLocal || isForeign) throw notFound('GET', path);
}

function listPage(mails: readonly StoredMail[]) {
  const refresh = html`<p><a href="/dev/mail">Refresh</a></p>`;
  const body = mails.length === 0 ? emptyList : html`${renderList(mails)}`;
  return devPage({ title: 'Mails', body: html`${refresh}${body}` });
}

const emptyList = html`<p>No mails yet. Mails are stored here instead of being sent while <code>MAIL_URL</code> is not set.</p>
<p class="quiet">Invite a team member or request a new password, then refresh. A mail appears within a few seconds if a worker is running.</p>`;

function renderList(mails: readonly StoredMail[]): Html {
  const rows = mails.map(
    ({ id, to, subject, at }) => html`<tr><td><time datetime="${at}">${formatTime(at)}</time></td><td>${to}</td>
<td><a href="/dev/mail/${id}">${subject}</a></td></tr>
`,
  );
  return html`<table><thead><tr><th scope="col">Time</th><th scope="col">To</th><th scope="col">Subject</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function mailPage({ from, to, at, subject, text, html: markup }: StoredMail) {
  // The sandboxed frame runs no scripts; its links open in a new tab.
  const framed = `<base target="_blank">${markup}`;
  const body = html`<p><a href="/dev/mail">All mails</a></p>
<table>
<tr><th scope="row">From</th><td>${from}</td></tr>
<tr><th scope="row">To</th><td>${to}</td></tr>
<tr><th scope="row">Time</th><td><time datetime="${at}">${formatTime(at)}</time></td></tr>
</table>
<h2>HTML</h2>
<iframe title="The mail as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${framed}"></iframe>
<h2>Text</h2>
<pre>${withLinks(text)}</pre>`;
  return devPage({ title: subject, body });
}

function missingPage() {
  const body = html`<p>This mail does not exist or is no longer among the newest. <a href="/dev/mail">All mails</a></p>`;
  return devPage({ title: 'No such mail', status: 404, body });
}

function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) =>
      index % 2 === 1 ? html`<a href="${part}" target="_blank" rel="noreferrer">${part}</a>` : html`${part}`,
    );
}

function formatTime(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}
