import { createHash } from 'node:crypto';
import { Answer, Html, html } from '@chowk/kit';
import type { PrintedDocument } from './printed-document.ts';

/** A page without scripts and without anything from elsewhere, for the screen and for paper. */
export function htmlAnswer(document: PrintedDocument, fileName: string): Answer {
  return new Answer(renderHtml(document).toString(), { headers: { ...headers, ...disposition(fileName) } });
}

const disposition = (name: string) => ({ 'content-disposition': `inline; filename="${name}.html"` });

const style = `
@page { size: A4; margin: 16mm 16mm 18mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui; color: #667085; } }
* { box-sizing: border-box; }
html { color-scheme: light; background: #f2f4f7; }
body { margin: 0; color: #101828; font: 10pt/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans Devanagari', sans-serif;
  overflow-wrap: anywhere; }
main { width: 210mm; max-width: 100%; min-height: 297mm; margin: 8mm auto; padding: 18mm 16mm; background: #fff; box-shadow: 0 1px 3px #1018281f; }
header { display: flex; justify-content: space-between; gap: 12mm; }
header > * { min-width: 0; }
img { display: block; max-width: 50mm; max-height: 20mm; margin: 0 0 4mm; }
h1 { margin: 0 0 3mm; font-size: 20pt; line-height: 1.2; font-weight: 600; text-align: end; }
h2 { margin: 0 0 1mm; font-size: 8pt; font-weight: 600; color: #667085; }
p { margin: 0; text-align: left; }
.name { font-weight: 600; font-size: 11pt; }
.facts { display: grid; grid-template-columns: auto auto; justify-content: end; gap: .5mm 6mm; margin: 0; }
.facts dt { color: #667085; }
.facts dd { margin: 0; text-align: end; font-variant-numeric: tabular-nums; }
.parties { display: grid; grid-template-columns: 1fr 1fr; gap: 12mm; margin: 9mm 0; }
.parties p:first-of-type { font-weight: 600; }
table { width: 100%; border-collapse: collapse; }
thead { display: table-header-group; }
th { padding: 2mm 0 2mm 4mm; font-size: 8pt; font-weight: 600; color: #667085; text-align: start; white-space: nowrap;
  border-block: 1px solid #d0d5dd; }
td { padding: 2.2mm 0 2.2mm 4mm; vertical-align: top; border-bottom: 1px solid #eaecf0; }
th:first-child, td:first-child { padding-inline-start: 0; }
tr { break-inside: avoid; }
.number { text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
small { display: block; font-size: 8.5pt; color: #667085; }
.sums { display: grid; grid-template-columns: minmax(0, auto) auto; row-gap: 1.2mm; width: 92mm; max-width: 100%; margin: 5mm 0 0 auto; break-inside: avoid; }
.sums dt { color: #475467; }
.sums dd { margin: 0; padding-inline-start: 8mm; text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
.sums .strong { padding-block: 1.6mm; font-size: 12pt; font-weight: 600; color: #101828; border-top: 1px solid #d0d5dd; }
.sums .quiet { font-size: 8.5pt; color: #667085; }
footer { margin-top: 8mm; padding-top: 4mm; color: #475467; font-size: 9pt; border-top: 1px solid #eaecf0; break-inside: avoid; }
@media print { html { background: none; } main { width: auto; min-height: 0; margin: 0; padding: 0; box-shadow: none; } }
@media (max-width: 480px) { main { margin: 0; padding: 6mm; } header, .parties { display: block; } header > *, .parties > * { margin-bottom: 6mm; }
  h1 { text-align: start; } .facts { justify-content: start; } }
`;

const styleHash = createHash('sha256').update(style).digest('base64');
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; ` +
    "frame-ancestors 'none'; sandbox allow-modals",
  'referrer-policy': 'no-referrer',
};

const styleElement = new Html(`<style>${style}</style>`);

function renderHtml(document: PrintedDocument): Html {
  const { title, number, seller, logo, facts, parties, notes } = document;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} ${number}</title>
${styleElement}
</head>
<body>
<main>
<header>
<div>
${logo ? html`<img src="data:image/png;base64,${logo.data.toString('base64')}" alt="">` : undefined}
<p class="name" dir="auto">${seller.name}</p>
${paragraphs(seller.lines)}
</div>
<div>
<h1>${title}</h1>
<dl class="facts">${facts.map(({ label, value }) => html`<dt>${label}</dt><dd dir="auto">${value}</dd>\n`)}</dl>
</div>
</header>
<section class="parties">
${parties.map(({ heading, lines }) => html`<div><h2>${heading}</h2>${paragraphs(lines)}</div>\n`)}
</section>
${renderTable(document)}
${renderSums(document)}
${notes.length > 0 ? html`<footer>${paragraphs(notes)}</footer>` : undefined}
</main>
</body>
</html>
`;
}

const paragraphs = (lines: readonly string[]) => lines.map((line) => html`<p dir="auto">${line}</p>`);

function renderTable({ columns, rows }: PrintedDocument): Html {
  const number = columns.map(({ isNumber }) => (isNumber ? new Html(' class="number"') : undefined));
  return html`<table>
<thead><tr>${columns.map(({ label }, index) => html`<th scope="col"${number[index]}>${label}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ({ cells, details }) =>
    html`<tr>${cells.map(
      (cell, index) =>
        html`<td${number[index]}><bdi>${cell}</bdi>${
          index === 0 ? details.map((detail) => html`<small dir="auto">${detail}</small>`) : undefined
        }</td>`,
    )}</tr>\n`,
)}
</tbody>
</table>`;
}

function renderSums({ sums }: PrintedDocument): Html {
  return html`<dl class="sums">${sums.map(
    ({ label, amount, weight }) =>
      html`<dt class="${weight}" dir="auto">${label}</dt><dd class="${weight}">${amount}</dd>\n`,
  )}</dl>`;
}
