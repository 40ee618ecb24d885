/** A suggestion for the id of an organization: `Café Zürich & Co.` becomes `cafe-zurich-co`, `चौक` becomes `cauk`. */
export async function suggestSlug(name: string): Promise<string> {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '');
  return toSlug(/^\p{ASCII}*$/u.test(plain) ? plain : await transliterate(name));
}

/** Loaded for names that need it: its tables are large. */
async function transliterate(name: string): Promise<string> {
  const { default: anyAscii } = await import('any-ascii');
  return anyAscii(name.normalize('NFC'));
}

function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
}
