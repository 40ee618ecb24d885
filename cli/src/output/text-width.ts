import { eastAsianWidth } from 'get-east-asian-width';

/** Created when it is needed: most texts are plain. */
let segmenter: Intl.Segmenter | undefined;

/** The columns that a text takes in a terminal. A letter with its marks is one or two columns wide, as is an emoji. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const segment of splitGraphemes(text)) width += graphemeWidth(segment);
  return width;
}

/** Shortens a text to a number of columns, with `…` at the end. */
export function truncate(text: string, columns: number): string {
  if (isPlain(text)) return text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let result = '';
  for (const segment of splitGraphemes(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    result += segment;
  }
  return `${result}…`;
}

function splitGraphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Joined consonants, as in Hindi, are as wide as their letters; marks and the later parts of a Korean syllable take no room. */
function graphemeWidth(segment: string): number {
  if (/\p{RGI_Emoji}/v.test(segment)) return 2;
  const letters = segment.replace(/\p{Default_Ignorable_Code_Point}|\p{Control}|\p{Mark}|[\u1160-\u11ff]/gu, '');
  return [...letters].reduce((width, letter) => width + eastAsianWidth(letter.codePointAt(0) as number), 0);
}
