const maxHeaderBytes = 262_144;
/** Describes the content, which is replaced. */
const contentHeader = /^(content-[^:]*|mime-version)\s*:/i;

/** A mail with the headers of another one, and a note instead of its content. */
export function withNote(mail: Uint8Array, note: string): Uint8Array {
  const text = Buffer.from(mail.subarray(0, maxHeaderBytes)).toString('latin1');
  const end = text.search(/\r?\n\r?\n/);
  // A header goes on in lines that begin with a space.
  const headers = (end < 0 ? text : text.slice(0, end)).split(/\r?\n(?![ \t])/).filter((header) => header !== '');
  const kept = headers.filter((header) => !contentHeader.test(header));
  const lines = [...kept, 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', '', note, ''];
  return Buffer.from(lines.join('\r\n'), 'latin1');
}
