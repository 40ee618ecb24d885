import { Answer, action, type Ctx, type Html, html, Type } from '@chowk/kit';

/* Links in marketing mails. They work without signing in and do not expire. */

const Link = Type.Object({ token: Type.String({ maxLength: 500 }) });
type Link = { readonly token: string };

const common = { webPage: true, graphql: false, public: true, input: Link } as const;

export const unsubscribeActions = {
  'notifications.showUnsubscribe': action({
    ...common,
    summary: 'Show the page with which a customer unsubscribes from marketing messages',
    description: 'Changes nothing: programs that check links open them.',
    http: 'GET /unsubscribe/:token',
    run: async (ctx, link) => (readLink(ctx, link) === undefined ? brokenLink(ctx) : questionPage(ctx)),
  }),
  'notifications.unsubscribe': action({
    ...common,
    summary: 'Unsubscribe from marketing messages',
    description: 'One click, as RFC 8058 describes: mail programs send `List-Unsubscribe=One-Click`.',
    http: 'POST /unsubscribe/:token',
    accepts: 'form',
    limit: { perMinute: 60, by: 'network' },
    run: unsubscribe,
  }),
};

/** The path of the link for a customer. */
export function unsubscribePath(ctx: Ctx, customerId: string): string {
  const sealed = Buffer.from(ctx.secrets.seal('unsubscribe', customerId)).toString('base64url');
  return `/api/v1/unsubscribe/${sealed}`;
}

/** The id of the customer; `undefined` if the link was not made here. */
function readLink(ctx: Ctx, { token }: Link): string | undefined {
  try {
    return ctx.secrets.open('unsubscribe', Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
}

async function unsubscribe(ctx: Ctx, link: Link): Promise<Answer> {
  const customer_id = readLink(ctx, link);
  if (customer_id === undefined) return brokenLink(ctx);
  await ctx.tx(async (tx) => {
    // A customer who is deleted gets no more messages either.
    const id = await tx.bus.callIfInstalled('customers.lock', { id: customer_id });
    const [contact] = id ? ((await tx.bus.callIfInstalled('customers.listContacts', { ids: [id] })) ?? []) : [];
    const consent = { accepts_marketing: false, source: 'unsubscribe_link' };
    if (contact) await tx.bus.callIfInstalled('customers.recordConsent', { customer_id: contact.id, ...consent });
  });
  return page(ctx, 'You are unsubscribed', html`<p>${ctx.tenant.name} will send you no more marketing messages.</p>`);
}

function questionPage(ctx: Ctx): Answer {
  const form = html`<form method="post"><button>Unsubscribe</button></form>`;
  return page(ctx, 'Unsubscribe', html`<p>Do you want no more marketing messages from ${ctx.tenant.name}?</p>${form}`);
}

function brokenLink(ctx: Ctx): Answer {
  const text = html`<p>Copy the whole link from the mail, or answer the mail and ask ${ctx.tenant.name} to remove you.</p>`;
  return page(ctx, 'This link is not complete', text, 404);
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

function page(ctx: Ctx, title: string, content: Html, status = 200): Answer {
  const text = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${title} · ${ctx.tenant.name}</title></head>
<body><main><h1>${title}</h1>${content}</main></body></html>`;
  return new Answer(text.toString(), { status, headers });
}
