import type { PrintedDocument, Sum } from '../printed-document.ts';
import { colors, page } from './page.ts';
import { lineHeight, type Pen, quiet, type TextStyle } from './pen.ts';

const left = 290;
const styles: Readonly<Record<Sum['weight'], TextStyle>> = {
  normal: { size: 9.5 },
  strong: { size: 12, font: 'semibold' },
  quiet: { size: 8, color: quiet },
};
const note = { size: 8.5, color: '#475467' };
const gap = 3;

/** Draws sums and notes below the table, on a new page if they do not fit. */
export function drawSums(document: PDFKit.PDFDocument, pen: Pen, printed: PrintedDocument, from: number): void {
  let y = from + 14;
  const place = (height: number) => {
    if (y + height <= page.bottom) return;
    document.addPage();
    y = page.top;
  };
  const sums = printed.sums.map((sum) => layOut(pen, sum));
  place(sums.reduce((total, { height }) => total + height, 0));
  for (const { sum, lines, height } of sums) {
    place(height);
    const style = styles[sum.weight];
    const isStrong = sum.weight === 'strong';
    if (isStrong) pen.rule(y + gap, left, page.right, colors.rule);
    const top = isStrong ? y + 2 * gap + 2 : y;
    pen.drawLines(lines, left, top, style);
    pen.drawRight(sum.amount, page.right, top, style);
    y += height;
  }
  y += 24;
  for (const line of printed.notes.flatMap((text) => pen.wrap(text, page.right - page.left, note))) {
    place(lineHeight(note));
    y = pen.drawLines([line], page.left, y, note);
  }
}

function layOut(pen: Pen, sum: Sum): { sum: Sum; lines: string[]; height: number } {
  const style = styles[sum.weight];
  const width = page.right - left - pen.measure(sum.amount, style) - 12;
  const lines = pen.wrap(sum.label, Math.max(width, 60), style);
  const space = sum.weight === 'strong' ? 4 * gap + 2 : gap;
  return { sum, lines, height: lines.length * lineHeight(style) + space };
}
