/** How a link is written; `undefined` leaves only its text. */
export type RewriteLink = (target: string) => string | undefined;

/** Markdown as HTML: the part of it that the guides use. Everything else is text, and all text is escaped. */
export function renderMarkdown(text: string, rewriteLink: RewriteLink = (target) => target): string {
  return renderBlocks(text.split('\n'), rewriteLink);
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] as string);
}

/** The anchor of a heading, as GitHub writes it. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

const listItem = /^(- |\d+\. )/;

function renderBlocks(lines: readonly string[], rewriteLink: RewriteLink): string {
  const html: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const block = takeBlock(lines, at);
    html.push(renderBlock(lines.slice(at, block.end), block.kind, rewriteLink));
    at = block.end;
  }
  return html.filter(Boolean).join('\n');
}

type Kind = 'blank' | 'code' | 'heading' | 'table' | 'list' | 'paragraph';

function takeBlock(lines: readonly string[], from: number): { readonly kind: Kind; readonly end: number } {
  const first = lines[from] as string;
  const take = (kind: Kind, isInside: (line: string) => boolean) => {
    let end = from + 1;
    while (end < lines.length && isInside(lines[end] as string)) end += 1;
    return { kind, end };
  };
  if (first.trim() === '') return { kind: 'blank', end: from + 1 };
  if (first.startsWith('```')) {
    const { end } = take('code', (line) => !line.startsWith('```'));
    return { kind: 'code', end: end + 1 };
  }
  if (/^#{1,6} /.test(first)) return { kind: 'heading', end: from + 1 };
  if (first.startsWith('|')) return take('table', (line) => line.startsWith('|'));
  if (listItem.test(first)) return takeList(lines, from);
  return take('paragraph', (line) => line.trim() !== '' && !/^(```|#{1,6} |\|)/.test(line) && !listItem.test(line));
}

/** Up to a line that is neither an item of the same kind nor indented; blank lines between are part of it. */
function takeList(lines: readonly string[], from: number): { readonly kind: Kind; readonly end: number } {
  const item = /^- /.test(lines[from] as string) ? /^- / : /^\d+\. /;
  let end = from + 1;
  for (let at = end; at < lines.length; at += 1) {
    const line = lines[at] as string;
    if (line.trim() === '') continue;
    const isLazy = lines[at - 1]?.trim() !== '' && !/^(```|#{1,6} |\|)/.test(line) && !listItem.test(line);
    if (!item.test(line) && !line.startsWith('  ') && !isLazy) break;
    end = at + 1;
  }
  return { kind: 'list', end };
}

function renderBlock(lines: readonly string[], kind: Kind, rewriteLink: RewriteLink): string {
  const inline = (text: string) => renderInline(text, rewriteLink);
  switch (kind) {
    case 'blank':
      return '';
    case 'code':
      return `<pre><code>${escapeText(lines.slice(1, -1).join('\n'))}</code></pre>`;
    case 'heading': {
      const [, marks = '', heading = ''] = /^(#+) (.*)$/.exec(lines[0] as string) ?? [];
      return `<h${marks.length} id="${anchor(heading)}">${inline(heading)}</h${marks.length}>`;
    }
    case 'table':
      return renderTable(lines, inline);
    case 'list':
      return renderList(lines, rewriteLink);
    case 'paragraph':
      return `<p>${inline(lines.join(' '))}</p>`;
  }
}

function renderTable([head = '', , ...rows]: readonly string[], inline: (text: string) => string): string {
  const cells = (row: string) =>
    row
      .slice(1)
      .replace(/\|\s*$/, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
  const write = (tag: string, row: string) =>
    `<tr>${cells(row)
      .map((cell) => `<${tag}>${inline(cell)}</${tag}>`)
      .join('')}</tr>`;
  const body = rows.map((row) => write('td', row)).join('\n');
  return `<div class="table"><table><thead>${write('th', head)}</thead><tbody>${body}</tbody></table></div>`;
}

function renderList(lines: readonly string[], rewriteLink: RewriteLink): string {
  const items: string[][] = [];
  for (const line of lines) {
    if (listItem.test(line)) items.push([line.replace(listItem, '')]);
    else items.at(-1)?.push(line.replace(/^ {2,3}/, ''));
  }
  const isNumbered = /^\d/.test(lines[0] as string);
  const tag = isNumbered ? 'ol' : 'ul';
  const written = items.map((item) => {
    const html = renderBlocks(item, rewriteLink);
    // An item of one paragraph needs none.
    const [, only] = /^<p>((?:(?!<p>)[\s\S])*)<\/p>$/.exec(html) ?? [];
    return `<li>${only ?? html}</li>`;
  });
  return `<${tag}>${written.join('\n')}</${tag}>`;
}

/** Code first: nothing inside of it is markup. */
function renderInline(text: string, rewriteLink: RewriteLink): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => {
      if (part.length > 2 && part.startsWith('`')) return `<code>${escapeText(part.slice(1, -1))}</code>`;
      return escapeText(part);
    })
    .join('')
    .replace(/\[((?:[^\]<]|<code>[^<]*<\/code>)+)\]\(([^)\s]+)\)/g, (_, label: string, target: string) => {
      const address = rewriteLink(target);
      return address === undefined ? label : `<a href="${address}">${label}</a>`;
    })
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])/g, '<em>$1</em>');
}
