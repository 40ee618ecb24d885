import sanitizeHtml from 'sanitize-html';

const blocks = ['address', 'article', 'blockquote', 'br', 'dd', 'div', 'dl', 'dt', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const more = ['footer', 'header', 'hr', 'li', 'main', 'ol', 'p', 'pre', 'section', 'table', 'tr', 'ul'];
const inline = [
  'a',
  'abbr',
  'b',
  'bdi',
  'bdo',
  'caption',
  'center',
  'cite',
  'code',
  'col',
  'colgroup',
  'del',
  'em',
  'font',
];
const others = ['i', 'img', 'ins', 'kbd', 'mark', 'q', 's', 'small', 'span', 'strike', 'strong', 'sub', 'sup'];
const tables = ['tbody', 'td', 'tfoot', 'th', 'thead', 'u', 'wbr'];
const blockTags = new Set([...blocks, ...more]);

const options: sanitizeHtml.IOptions = {
  allowedTags: [...blockTags, ...inline, ...others, ...tables],
  allowedAttributes: {
    '*': ['dir', 'lang', 'title'],
    a: ['href', 'target', 'rel'],
    img: ['alt', 'width', 'height', 'data-remote-src', 'data-content-id'],
    ...Object.fromEntries(['td', 'th'].map((tag) => [tag, ['colspan', 'rowspan', 'align', 'valign']])),
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  nonTextTags: ['style', 'script', 'textarea', 'option', 'noscript', 'title', 'svg', 'math', 'object', 'template'],
  nestingLimit: 100,
  transformTags: {
    a: (tagName, { href = '', title }) => ({
      tagName,
      attribs: { href, target: '_blank', rel: 'noopener noreferrer', ...(title && { title }) },
    }),
    img: (tagName, { src = '', alt = '', width, height }) => ({
      tagName,
      attribs: { ...source(src.trim()), alt, ...(width && { width }), ...(height && { height }) },
    }),
  },
};

/** A picture from another server tells it that the mail was read, so it is loaded only on request. */
function source(src: string): Record<string, string> {
  if (/^https?:\/\//i.test(src)) return { 'data-remote-src': src };
  return /^cid:/i.test(src) ? { 'data-content-id': src.slice(4) } : {};
}

/** The HTML with known tags and attributes only. */
export function cleanHtml(html: string): string {
  return sanitizeHtml(html, options);
}

/** The text of clean HTML, with quotations marked as in a plain text. */
export function htmlToText(html: string): string {
  const lines: string[] = [''];
  let depth = 0;
  const addLine = () => {
    if (lines.at(-1) !== '') lines.push('');
  };
  for (const token of html.split(/(<[^>]*>)/)) {
    const [, slash, tag = ''] = /^<(\/?)([a-z0-9]+)/.exec(token) ?? [];
    if (tag === '') {
      const text = decodeEntities(token).replace(/\s+/g, ' ');
      if (lines.at(-1) === '' && text.trim() !== '') lines[lines.length - 1] = '> '.repeat(depth) + text.trimStart();
      else if (text.trim() !== '' || lines.at(-1) !== '') lines[lines.length - 1] += text;
    } else if (tag === 'br') lines.push('');
    else if (blockTags.has(tag)) {
      addLine();
      if (tag === 'blockquote') depth = Math.max(0, Math.min(depth + (slash ? -1 : 1), 10));
      if (tag === 'p') lines.push('');
    }
  }
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Clean HTML has no others. */
function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => entities[name] as string);
}
