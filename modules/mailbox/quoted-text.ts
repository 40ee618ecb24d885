/** A text without the earlier messages and the signature below it. */
export interface SplitText {
  readonly body: string;
  readonly quoted: string | null;
}

const maxLines = 10_000;

/** The line with which mail programs introduce the mail that they quote. */
const introductions = [
  /^on .{5,200}\bwrote ?:$/i,
  /^am .{5,200}\bschrieb\b.{0,100}:$/i,
  /^le .{5,200}\ba écrit ?:$/i,
  /^el .{5,200}\bescribió ?:$/i,
  /^il .{5,200}\bha scritto ?:$/i,
  /^em .{5,200}\bescreveu ?:$/i,
  /^op .{5,200}\bschreef\b.{0,100}:$/i,
  /^.{5,200}\b(пишет|написал|написала) ?:$/i,
  /^.{5,200} ने लिखा ?:$/i,
  /^\d{4}.{5,200} <[^<>]{3,100}> ?:$/,
];
/** Everything below is quoted. */
const separators = [
  /^-{2,}\s*(original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original)\s*-{2,}$/i,
  /^begin forwarded message:$/i,
];
const fields =
  /^\*?(from|von|de|da|van|от|sent|gesendet|envoyé|enviado|date|datum|to|an|à|para|subject|betreff|objet|asunto)\*? ?:/i;
const signatures = [/^--\s?$/, /^(sent|get outlook|gesendet|envoyé|enviado) (from|for|von|depuis|desde) .{2,60}$/i];

/** Splits the text of a mail: what its sender wrote now, and below it what the mail program added. */
export function splitQuoted(text: string): SplitText {
  const lines = text.replace(/\r\n?/g, '\n').trim().split('\n', maxLines);
  const isQuote = (line: string | undefined) => line !== undefined && /^\s*>/.test(line);
  const start = lines.findIndex((_, index) => beginsQuote(lines, index));
  const rest = start < 0 ? [] : lines.slice(start);
  // An answer below or between the quoted lines: the reader needs both.
  const isMixed = start >= 0 && isQuote(rest.find((line) => isQuote(line))) && hasAnswerBelow(rest);
  const end = start < 0 || isMixed ? lines.length : start;
  const signature = isMixed
    ? -1
    : lines.slice(0, end).findIndex((line) => signatures.some((one) => one.test(line.trim())));
  const cut = signature < 0 ? end : signature;
  const body = lines.slice(0, cut).join('\n').trim();
  if (body === '' || cut === lines.length) return { body: lines.join('\n').trim(), quoted: null };
  return { body, quoted: lines.slice(cut).join('\n').trim() || null };
}

function beginsQuote(lines: readonly string[], index: number): boolean {
  const line = (lines[index] as string).trim();
  if (line === '') return false;
  // Long introductions are wrapped.
  const wrapped = `${line} ${(lines[index + 1] ?? '').trim()}`;
  if (introductions.some((one) => one.test(line) || one.test(wrapped))) return true;
  if (separators.some((one) => one.test(line))) return true;
  if (/^_{10,}$/.test(line) || fields.test(line)) return countFields(lines, index) >= 3;
  return line.startsWith('>');
}

/** Outlook repeats the headers of the mail above its text. */
function countFields(lines: readonly string[], index: number): number {
  return lines.slice(index, index + 7).filter((line) => fields.test(line.trim())).length;
}

function hasAnswerBelow(rest: readonly string[]): boolean {
  const lastQuote = rest.findLastIndex((line) => /^\s*>/.test(line));
  const below = rest.slice(lastQuote + 1);
  const signature = below.findIndex((line) => signatures.some((one) => one.test(line.trim())));
  return (signature < 0 ? below : below.slice(0, signature)).some((line) => line.trim() !== '');
}
