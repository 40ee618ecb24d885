import { plainText } from '../output/plain-text.ts';

const maxLines = 12;
const maxLength = 1_000;

/** The beginning of the notes of a release, safe to show and indented. */
export function excerpt(notes: string): string {
  const lines = plainText(notes.replaceAll('\r\n', '\n').trim()).slice(0, maxLength).split('\n');
  const shown = lines.slice(0, maxLines).map((line) => `  ${line}`.trimEnd());
  const isCut = lines.length > maxLines || notes.trim().length > maxLength;
  return notes.trim() === '' ? '' : `${[...shown, ...(isCut ? ['  …'] : [])].join('\n')}\n`;
}
