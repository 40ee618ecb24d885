import type { Logo, PrintedDocument } from '../printed-document.ts';
import { page } from './page.ts';
import { lineHeight, type Pen, quiet } from './pen.ts';

const text = { size: 9.5 };
const label = { size: 9, color: quiet };
const strong = { size: 9.5, font: 'semibold' } as const;
const heading = { size: 8, font: 'semibold', color: quiet } as const;

const sellerWidth = 270;
const factsWidth = 200;
const partyGap = 34;

/** Draws what stands above the table and returns where it begins. */
export function drawHeader(document: PDFKit.PDFDocument, pen: Pen, printed: PrintedDocument): number {
  const below = Math.max(drawSeller(document, pen, printed), drawFacts(pen, printed));
  return drawParties(pen, printed, below + 26) + 22;
}

function drawSeller(document: PDFKit.PDFDocument, pen: Pen, { seller, logo }: PrintedDocument): number {
  let y = logo ? drawLogo(document, logo) + 12 : page.top + 4;
  const name = { size: logo ? 11 : 14, font: 'semibold' } as const;
  y = pen.drawLines(pen.wrap(seller.name, sellerWidth, name), page.left, y, name) + 2;
  const lines = seller.lines.flatMap((line) => pen.wrap(line, sellerWidth, text));
  return pen.drawLines(lines, page.left, y, text);
}

function drawLogo(document: PDFKit.PDFDocument, { data, width, height }: Logo): number {
  const scale = Math.min(150 / width, 56 / height, 1);
  document.image(data, page.left, page.top, { width: width * scale, height: height * scale });
  return page.top + height * scale;
}

function drawFacts(pen: Pen, { title, facts }: PrintedDocument): number {
  pen.drawRight(title, page.right, page.top - 4, { size: 20, font: 'semibold' });
  const left = page.right - factsWidth;
  let y = page.top + 34;
  for (const { label: name, value } of facts) {
    pen.draw(name, left, y, label);
    for (const line of pen.wrap(value, factsWidth - 70, text)) {
      pen.drawRight(line, page.right, y, text);
      y += lineHeight(text);
    }
  }
  return y;
}

function drawParties(pen: Pen, { parties }: PrintedDocument, y: number): number {
  const width = (page.right - page.left - partyGap) / 2;
  const ends = parties.map(({ heading: name, lines: [first = '', ...others] }, index) => {
    const x = page.left + index * (width + partyGap);
    pen.draw(name, x, y, heading);
    const below = pen.drawLines(pen.wrap(first, width, strong), x, y + lineHeight(heading) + 2, strong);
    const lines = others.flatMap((line) => pen.wrap(line, width, text));
    return pen.drawLines(lines, x, below, text);
  });
  return Math.max(y, ...ends);
}
