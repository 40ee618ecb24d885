import { Answer, type Failure, html, type SystemCtx, type SystemServices } from '@chowk/kit';
import { fail } from '../errors.ts';
import { assetsPath } from './assets.ts';
import { cardPage, formField } from './card-page.ts';

const title = 'GraphQL playground';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  // GraphiQL and the layout of these pages use inline styles. Scripts are loaded from this server only.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src data:; img-src data:; " +
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

export async function playgroundPage(ctx: SystemCtx): Promise<Answer> {
  requirePlayground(ctx.system);
  const assets = await assetsPath();
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${ctx.tenant.name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets}/graphiql.css">
<link rel="stylesheet" href="${assets}/playground.css">
<script defer src="${assets}/react.js"></script>
<script defer src="${assets}/react-dom.js"></script>
<script defer src="${assets}/graphiql.js"></script>
<script type="module" src="${assets}/playground.js"></script>
</head>
<body>
<div id="playground" data-tenant="${ctx.tenant.name}" data-user="${ctx.user.name}"></div>
</body>
</html>
`;
  return new Answer(page.toString(), { headers });
}

/** Browsers send no token when they open a page: they get a form to sign in, which then fetches the page with one. */
export async function signInPage(system: SystemServices, { status, code }: Failure): Promise<Answer | undefined> {
  const isUnbound = code === 'tenancy.required';
  if (status !== 401 && !isUnbound) return undefined;
  if (!system.options.graphqlPlayground) return disabledPage();
  const body = html`<noscript><p class="error">The playground needs JavaScript.</p></noscript>
<form hidden${isUnbound ? html` data-unbound` : undefined}>
<p class="error" role="alert" hidden></p>
<fieldset name="credentials">
${formField({ name: 'email', label: 'Email', type: 'text', autocomplete: 'username' })}
${formField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<fieldset name="second_factor" hidden disabled>
${formField({ name: 'otp', label: 'Code of the authenticator app', type: 'text', autocomplete: 'one-time-code' })}
</fieldset>
</fieldset>
<fieldset name="tenants" hidden disabled><div class="field"><label for="tenant">Tenant</label>
<select id="tenant" name="tenant"></select></div></fieldset>
<button>Sign in</button>
</form>
<script type="module" src="${await assetsPath()}/sign-in.js"></script>`;
  return new Answer(cardPage(title, body), { status: 401, headers });
}

function disabledPage(): Answer {
  const { status, message } = fail('graphql.playground_disabled');
  return new Answer(cardPage(title, html`<p>${message}</p>`), { status, headers });
}

export function requirePlayground({ options }: SystemServices): void {
  if (!options.graphqlPlayground) throw fail('graphql.playground_disabled');
}
