import { Html, html } from '@chowk/kit';

const style = new Html(`<style>
:root { color-scheme: light dark; --page: #f4f5f7; --card: #fff; --text: #1f2430; --quiet: #5b6270; --rule: #d5d9e1;
  --link: #1d4ed8; --error: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --page: #14161a; --card: #1e2127; --text: #e8eaee; --quiet: #a9b0bd;
  --rule: #3b414c; --link: #9db7ff; --error: #ff9d94; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: break-word; }
main { max-width: 30rem; margin: 0 auto; padding: 2rem; background: var(--card); border: 1px solid var(--rule);
  border-radius: 10px; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.3; }
p { margin: 0 0 1rem; }
label { display: block; margin: 0 0 .25rem; font-weight: 600; }
fieldset { margin: 0; padding: 0; border: 0; }
input, select { width: 100%; margin: 0 0 .25rem; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--quiet); border-radius: 8px; }
button { margin: .5rem 0 0; padding: .7rem 1.4rem; font: inherit; font-weight: 600; color: #fff; background: #1d4ed8;
  border: 1px solid #1d4ed8; border-radius: 8px; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.error { color: var(--error); }
.field { margin: 0 0 1rem; }
</style>`);

/** A page with one card, for a form or a message. */
export function cardPage(title: string, body: Html): string {
  return html`<!doctype html>
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
`.toString();
}

interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'password';
  /** The HTML attribute, for password managers. */
  readonly autocomplete: string;
}

/** A field with its label. */
export function formField({ name, label, type, autocomplete }: FormField): Html {
  return html`<div class="field"><label for="${name}">${label}</label>
<input type="${type}" id="${name}" name="${name}" autocomplete="${autocomplete}" required></div>`;
}
