import type PDFKit from 'pdfkit';

type Document = InstanceType<typeof PDFKit>;

export interface TextStyle {
  readonly size: number;
  readonly font?: 'regular' | 'semibold';
  readonly color?: string;
}

export const ink = '#101828';
export const quiet = '#667085';

/** Distance of lines, in multiples of the size. */
const leading = 1.4;

export const lineHeight = ({ size }: TextStyle) => size * leading;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Measures and draws lines of text. */
export function createPen(document: Document) {
  const select = ({ font = 'regular', size }: TextStyle) => document.font(font).fontSize(size);

  const measure = (text: string, style: TextStyle) => select(style).widthOfString(text);

  /** The text in lines of at most this width. Words that are wider are divided. */
  function wrap(text: string, width: number, style: TextStyle): string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of text.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (measure(longer, style) <= width) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(line);
      const parts = divide(word, width, style);
      line = parts.pop() ?? '';
      lines.push(...parts);
    }
    return [...lines, line];
  }

  function divide(word: string, width: number, style: TextStyle): string[] {
    const total = measure(word, style);
    if (total <= width) return [word];
    const letters = Array.from(graphemes.segment(word), ({ segment }) => segment);
    let count = Math.max(1, Math.floor((letters.length * width) / total));
    while (count > 1 && measure(letters.slice(0, count).join(''), style) > width) count -= Math.ceil(count / 16);
    return [letters.slice(0, count).join(''), ...divide(letters.slice(count).join(''), width, style)];
  }

  function draw(text: string, x: number, y: number, style: TextStyle): void {
    select(style)
      .fillColor(style.color ?? ink)
      .text(text, x, y, { lineBreak: false });
  }

  function drawRight(text: string, right: number, y: number, style: TextStyle): void {
    draw(text, right - measure(text, style), y, style);
  }

  /** Draws lines below each other and returns where the next one would be. */
  function drawLines(lines: readonly string[], x: number, y: number, style: TextStyle): number {
    for (const [index, line] of lines.entries()) draw(line, x, y + index * lineHeight(style), style);
    return y + lines.length * lineHeight(style);
  }

  function rule(y: number, from: number, to: number, color: string): void {
    document.moveTo(from, y).lineTo(to, y).lineWidth(0.75).strokeColor(color).stroke();
  }

  return { measure, wrap, draw, drawRight, drawLines, rule };
}

export type Pen = ReturnType<typeof createPen>;
