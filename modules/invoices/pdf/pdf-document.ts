import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PrintedDocument } from '../printed-document.ts';
import { loadFonts } from './fonts.ts';
import { drawHeader } from './header.ts';
import { drawPageNumbers, page } from './page.ts';
import { createPen } from './pen.ts';
import { drawSums } from './sums.ts';
import { measureTable } from './table.ts';

/** For how long other requests wait at most, in milliseconds. */
const maxTurn = 15;

/** A PDF document on A4 paper, drawn while it is read. */
export async function writePdf(printed: PrintedDocument): Promise<Readable> {
  const [{ default: PDFDocument }, fonts] = await Promise.all([import('pdfkit'), loadFonts()]);
  const title = `${printed.title} ${printed.number}`;
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    // Otherwise it would load a font of its own.
    font: null as never,
    // The number of pages is printed on each of them.
    bufferPages: true,
    displayTitle: true,
    lang: 'en',
    info: { Title: title, Author: printed.seller.name, Creator: 'Chowk', CreationDate: new Date(printed.issuedAt) },
  });
  document.registerFont('regular', fonts.regular as never);
  document.registerFont('semibold', fonts.semibold as never);
  draw(document, printed).catch((error) => document.destroy(error));
  return document as unknown as Readable;
}

async function draw(document: PDFKit.PDFDocument, printed: PrintedDocument): Promise<void> {
  const pen = createPen(document);
  const table = measureTable(pen, printed);
  let y = table.drawHead(drawHeader(document, pen, printed));
  let turn = performance.now();
  for (const row of printed.rows) {
    if (document.destroyed) return;
    const cells = table.layOut(row);
    if (y + cells.height > page.bottom) {
      document.addPage();
      y = table.drawHead(page.top);
    }
    y = table.drawRow(cells, y);
    if (performance.now() - turn < maxTurn) continue;
    await nextTurn();
    turn = performance.now();
  }
  drawSums(document, pen, printed, y);
  drawPageNumbers(document, pen, printed);
  document.end();
}
