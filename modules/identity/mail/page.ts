import { Answer, Failure, type FieldErrors } from '@chowk/kit';
import { Html, html } from './html.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Wide enough for a list. */
  readonly wide?: boolean;
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // The address of the page is a secret.
  'referrer-policy': 'no-referrer',
};

const style = new Html(`<style>
:root { color-scheme: light dark; --page: #f4f5f7; --card: #fff; --text: #1f2430; --quiet: #5b6270; --rule: #d5d9e1;
  --link: #1d4ed8; --wrong: #b3261e; --right: #146c43; }
@media (prefers-color-scheme: dark) { :root { --page: #14161a; --card: #1e2127; --text: #e8eaee; --quiet: #a9b0bd;
  --rule: #3b414c; --link: #9db7ff; --wrong: #ff9d94; --right: #7fd6a8; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: break-word; }
main { max-width: 30rem; margin: 0 auto; padding: 2rem; background: var(--card); border: 1px solid var(--rule);
  border-radius: 10px; }
main.wide { max-width: 64rem; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.3; }
p { margin: 0 0 1rem; }
a { color: var(--link); }
label { display: block; margin: 0 0 .25rem; font-weight: 600; }
input { width: 100%; margin: 0 0 .25rem; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--quiet); border-radius: 8px; }
button { margin: .5rem 0 0; padding: .7rem 1.4rem; font: inherit; font-weight: 600; color: #fff; background: #1d4ed8;
  border: 1px solid #1d4ed8; border-radius: 8px; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.quiet { color: var(--quiet); font-size: .9rem; }
.wrong { color: var(--wrong); }
.right { color: var(--right); }
.field { margin: 0 0 1rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .5rem .75rem .5rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { white-space: nowrap; }
pre { margin: 0 0 1rem; padding: 1rem; white-space: pre-wrap; background: var(--page); border: 1px solid var(--rule);
  border-radius: 8px; font: .9rem/1.5 ui-monospace, Consolas, monospace; }
iframe { width: 100%; height: 42rem; margin: 0 0 1rem; border: 1px solid var(--rule); border-radius: 8px; }
</style>`);

/** A page that stands by itself: no script, nothing fetched. */
export function page({ title, body, status = 200, wide = false }: Page): Answer {
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
${style}
</head>
<body>
<main${wide ? html` class="wide"` : undefined}>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return new Answer(text.toString(), { status, headers });
}

/** Shows a failure as a page too: who followed a link from a mail reads no JSON. */
export async function orFailurePage(title: string, make: () => Promise<Answer>): Promise<Answer> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return page({ title, status: error.status, body: html`<p class="wrong" role="alert">${reasonOf(error)}</p>` });
  }
}

function reasonOf({ message, extras }: Failure): string {
  return Object.values(extras.errors ?? {}).flat()[0]?.message ?? message;
}

export function done(title: string, text: string): Answer {
  return page({ title, body: html`<p class="right" role="status">${text}</p>` });
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'password';
  /** What a password manager or the browser fills in. */
  readonly autocomplete: string;
  readonly value?: string;
}

/** A field of a form, with what was wrong with it when it was sent before. */
export function field(
  { name, label, type, autocomplete, value = '' }: Field,
  errors: Readonly<FieldErrors> = {},
): Html {
  const wrong = errors[name]?.[0]?.message;
  const described = wrong === undefined ? undefined : html` aria-invalid="true" aria-describedby="${name}_wrong"`;
  const message =
    wrong === undefined ? undefined : html`<div class="wrong" id="${name}_wrong" role="alert">${wrong}</div>`;
  return html`<div class="field"><label for="${name}">${label}</label>
<input type="${type}" id="${name}" name="${name}" value="${value}" autocomplete="${autocomplete}" required${described}>${message}</div>`;
}

export function newPasswordField(name: string, label: string, errors?: Readonly<FieldErrors>): Html {
  return field({ name, label, type: 'password', autocomplete: 'new-password' }, errors);
}
