import type { PrintedDocument, Row } from '../printed-document.ts';
import { colors, page } from './page.ts';
import { lineHeight, type Pen, quiet } from './pen.ts';

const text = { size: 9.5 };
const detail = { size: 8, color: quiet };
const head = { size: 8, font: 'semibold', color: quiet } as const;
const gap = 14;
const padding = 6;
/** The least width of the first column. */
const minFirst = 150;

interface Cells {
  readonly lines: readonly (readonly string[])[];
  readonly details: readonly string[];
  readonly height: number;
}

/** The table with columns as wide as their content; the first one gets the rest. */
export function measureTable(pen: Pen, { columns, rows }: PrintedDocument) {
  const widest = columns.map(({ label }, index) => {
    const texts = index === 0 ? [] : longest(rows.map(({ cells }) => cells[index] ?? ''));
    return index === 0 ? 0 : Math.max(pen.measure(label, head), ...texts.map((cell) => pen.measure(cell, text)));
  });
  const available = page.right - page.left;
  const wanted = widest.reduce((sum, width) => sum + width + gap, -gap);
  const scale = Math.min(1, (available - minFirst) / wanted);
  const widths = widest.map((width) => width * scale);
  widths[0] = available - widths.reduce((sum, width) => sum + width + gap, -gap);
  const lefts = widths.map((_, index) => widths.slice(0, index).reduce((sum, width) => sum + width + gap, page.left));

  function drawCell(line: string, index: number, y: number, style: typeof text): void {
    const [left, width] = [lefts[index] as number, widths[index] as number];
    if (columns[index]?.isNumber) pen.drawRight(line, left + width, y, style);
    else pen.draw(line, left, y, style);
  }

  return {
    drawHead(y: number): number {
      pen.rule(y, page.left, page.right, colors.rule);
      for (const [index, { label }] of columns.entries()) drawCell(label, index, y + padding, head);
      const below = y + 2 * padding + lineHeight(head);
      pen.rule(below, page.left, page.right, colors.rule);
      return below;
    },

    layOut({ cells, details }: Row): Cells {
      const lines = cells.map((cell, index) => pen.wrap(cell, widths[index] as number, text));
      const small = details.flatMap((line) => pen.wrap(line, widths[0] as number, detail));
      const heights = lines.map((wrapped, index) => {
        return wrapped.length * lineHeight(text) + (index === 0 ? small.length * lineHeight(detail) : 0);
      });
      return { lines, details: small, height: Math.max(...heights) + 2 * padding };
    },

    drawRow({ lines, details, height }: Cells, y: number): number {
      for (const [index, wrapped] of lines.entries()) {
        for (const [row, line] of wrapped.entries()) drawCell(line, index, y + padding + row * lineHeight(text), text);
      }
      const below = y + padding + (lines[0]?.length ?? 0) * lineHeight(text);
      pen.drawLines(details, page.left, below, detail);
      pen.rule(y + height, page.left, page.right, colors.thin);
      return y + height;
    },
  };
}

/** Figures are equally wide, so that the widest are among the longest; measuring all texts takes long. */
function longest(texts: readonly string[]): string[] {
  const length = texts.reduce((most, { length }) => Math.max(most, length), 0);
  return [...new Set(texts.filter((text) => text.length >= length - 1))].slice(0, 50);
}
