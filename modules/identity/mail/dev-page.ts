import { Answer, Html, html } from '@chowk/kit';

interface DevPage {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

const style = new Html(`<style>
:root { color-scheme: light dark; --page: #f4f5f7; --card: #fff; --text: #1f2430; --quiet: #5b6270; --rule: #d5d9e1;
  --link: #1d4ed8; }
@media (prefers-color-scheme: dark) { :root { --page: #14161a; --card: #1e2127; --text: #e8eaee; --quiet: #a9b0bd;
  --rule: #3b414c; --link: #9db7ff; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: break-word; }
main { max-width: 64rem; margin: 0 auto; padding: 2rem; background: var(--card); border: 1px solid var(--rule);
  border-radius: 10px; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.3; }
p { margin: 0 0 1rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.quiet { color: var(--quiet); font-size: .9rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .5rem .75rem .5rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { white-space: nowrap; }
pre { margin: 0 0 1rem; padding: 1rem; white-space: pre-wrap; background: var(--page); border: 1px solid var(--rule);
  border-radius: 8px; font: .9rem/1.5 ui-monospace, Consolas, monospace; }
iframe { width: 100%; height: 42rem; margin: 0 0 1rem; border: 1px solid var(--rule); border-radius: 8px; }
</style>`);

/** A self-contained page: no scripts, no external resources. */
export function devPage({ title, body, status = 200 }: DevPage): Answer {
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
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return new Answer(text.toString(), { status, headers });
}
