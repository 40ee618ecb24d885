import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { escapeText, renderMarkdown } from './markdown.ts';
import { guideAddress, guides, sections } from './pages.ts';

const folder = resolve(import.meta.dirname, '../../../../docs');
const pages = new Map<string, string>();

/** The page of a guide, rendered once; `undefined` if there is none of that name. */
export async function guidePage(name: string): Promise<string | undefined> {
  const guide = guides.find((one) => one.name === name);
  if (!guide) return undefined;
  const known = pages.get(name);
  if (known !== undefined) return known;
  // An installation may come without the documentation.
  const text = await readFile(join(folder, guide.file), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const page = writePage(guide.name, guide.title, renderMarkdown(text, guideAddress));
  pages.set(name, page);
  return page;
}

function writePage(name: string, title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeText(title)} · Chowk</title>
    <style>${styles}</style>
  </head>
  <body>
    <header><a href="/docs/first-call"><strong>Chowk</strong> guides</a><a href="/docs">API reference</a></header>
    <div class="columns">
      <nav class="side" aria-label="Guides">${writeNavigation(name)}</nav>
      <main>
        <details class="menu"><summary>All guides</summary><nav aria-label="Guides">${writeNavigation(name)}</nav></details>
        ${content}
      </main>
    </div>
  </body>
</html>
`;
}

function writeNavigation(current: string): string {
  return sections
    .map(({ title, guides: listed }) => {
      const links = listed.map(({ name, title: label }) => {
        const mark = name === current ? ' aria-current="page"' : '';
        return `<li><a href="/docs/${name}"${mark}>${escapeText(label)}</a></li>`;
      });
      return `<h2>${escapeText(title)}</h2><ul>${links.join('')}</ul>`;
    })
    .join('');
}

/** The colors of the console. */
const styles = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(oklch(0.985 0.003 85), oklch(0.17 0.01 260));
  --surface: light-dark(white, oklch(0.205 0.01 260));
  --text: light-dark(oklch(0.22 0.02 260), oklch(0.95 0.005 260));
  --secondary: light-dark(oklch(0.46 0.02 260), oklch(0.74 0.012 260));
  --line: light-dark(oklch(0.91 0.005 260), oklch(0.3 0.01 260));
  --accent: light-dark(oklch(0.5 0.1 195), oklch(0.76 0.12 195));
  --accent-tint: light-dark(oklch(0.955 0.02 195), oklch(0.28 0.035 195));
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--canvas); color: var(--text); font: 16px/1.6 'Inter Variable', system-ui, sans-serif; }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { display: flex; justify-content: space-between; gap: 16px; padding: 12px 24px; background: var(--surface); border-bottom: 1px solid var(--line); }
header a { color: var(--text); text-decoration: none; }
.columns { display: flex; max-width: 1120px; margin: 0 auto; }
nav h2 { margin: 20px 0 4px; font-size: 13px; color: var(--secondary); font-weight: 600; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: 4px 8px; border-radius: 6px; color: inherit; text-decoration: none; font-size: 14px; }
nav a:hover, nav a[aria-current] { background: var(--accent-tint); }
.side { flex: 0 0 220px; padding: 8px 16px 48px 24px; }
main { flex: 1; min-width: 0; padding: 8px 24px 80px; }
main h1 { font-size: 28px; line-height: 36px; margin: 20px 0 12px; }
main h2 { font-size: 20px; line-height: 28px; margin: 36px 0 8px; }
main h3 { font-size: 16px; margin: 24px 0 4px; }
main p, main li { max-width: 76ch; overflow-wrap: break-word; }
code { font: 0.875em ui-monospace, monospace; background: var(--accent-tint); padding: 1px 4px; border-radius: 4px; overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: 12px 16px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; line-height: 1.5; }
pre code { background: none; padding: 0; overflow-wrap: normal; font-size: 13px; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; line-height: 20px; }
th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); }
.menu { display: none; margin: 12px 0; border: 1px solid var(--line); border-radius: 10px; padding: 8px 12px; background: var(--surface); }
@media (max-width: 760px) {
  .side { display: none; }
  .menu { display: block; }
  header, main { padding-left: 16px; padding-right: 16px; }
}
`;
