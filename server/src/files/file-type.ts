import type { FileType } from '@chowk/kit/kernel';

/** The parts of a file from which programs detect its type. */
export interface Excerpt {
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** A reader of PDF looks for its header in 1 KB, a reader of ZIP for its end in 64 KB and 22 bytes. */
export const keptBytes = { head: 1_024, tail: 65_557 };

const signatures: readonly { readonly type: FileType; readonly matches: (head: Buffer) => boolean }[] = [
  { type: 'image/jpeg', matches: startsWith('ffd8ff') },
  { type: 'image/png', matches: startsWith('89504e470d0a1a0a') },
  { type: 'image/webp', matches: (head) => startsWith('52494646')(head) && head.toString('latin1', 8, 12) === 'WEBP' },
  { type: 'application/pdf', matches: startsWith('255044462d') },
];

function startsWith(hex: string): (head: Buffer) => boolean {
  const bytes = Buffer.from(hex, 'hex');
  return (head) => head.subarray(0, bytes.length).equals(bytes);
}

/** Detects the type from the content; `undefined` for other types. */
export function detectType({ head }: Excerpt): FileType | undefined {
  return signatures.find(({ matches }) => matches(head))?.type;
}

/** Whether a program could also read the file as a page, a PDF document or an archive. */
export function isPolyglot({ head, tail }: Excerpt): boolean {
  const text = head.toString('latin1');
  return (
    /<(?:!doctype|html|head|body|script|iframe|svg|\?php)/i.test(text) || text.indexOf('%PDF-', 1) > 0 || isZip(tail)
  );
}

/** Whether the end is that of a ZIP archive, whose last field is the length of its comment, which follows. */
function isZip(tail: Buffer): boolean {
  const end = Buffer.from('504b0506', 'hex');
  for (let at = tail.lastIndexOf(end); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(end, at - 1)) {
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length) return true;
  }
  return false;
}

/** The type of whole content; `undefined` for other types and if programs could read it as something else. */
export function detectContentType(content: Uint8Array): FileType | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const excerpt = { head: bytes.subarray(0, keptBytes.head), tail: bytes.subarray(-keptBytes.tail) };
  return isPolyglot(excerpt) ? undefined : detectType(excerpt);
}
