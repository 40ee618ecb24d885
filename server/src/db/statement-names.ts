/** Statements past this many are sent unnamed: a text that varies without bound must not fill every backend. */
const most = 5_000;
const names = new Map<string, string>();

/** The name under which a statement's text is prepared, the same on every connection. */
export function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= most) return undefined;
  const name = `c${names.size.toString(36)}`;
  names.set(text, name);
  return name;
}
