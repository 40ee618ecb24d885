import type { PrintedDocument } from '../printed-document.ts';
import { type Pen, quiet } from './pen.ts';

/** A4 in points, with margins. */
export const page = { left: 48, right: 547, top: 48, bottom: 780, footer: 800 };

/** The lines between rows, and those around them. */
export const colors = { rule: '#d0d5dd', thin: '#eaecf0' };

export function drawPageNumbers(document: PDFKit.PDFDocument, pen: Pen, { title, number }: PrintedDocument): void {
  const { count } = document.bufferedPageRange();
  const style = { size: 8, color: quiet };
  const [name = ''] = pen.wrap(`${title} ${number}`, 380, style);
  for (let index = 0; index < count; index += 1) {
    document.switchToPage(index);
    pen.draw(name, page.left, page.footer, style);
    pen.drawRight(`Page ${index + 1} of ${count}`, page.right, page.footer, style);
  }
}
