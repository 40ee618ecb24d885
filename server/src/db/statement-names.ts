/** Statements past this many are sent unnamed: a text that varies without bound must not fill every backend. */
const most = 5_000;
const names = new Map<string, string>();
let given = 0;

/** The name under which a statement's text is prepared, the same on every connection. */
export function statementName(text: string): string | undefined {
  return names.get(text) ?? (names.size < most ? nameAnew(text) : undefined);
}

/** Has the statement prepared anew on every connection: what was prepared under its old name is out of date. */
export function renameStatement(text: string): void {
  if (names.has(text)) nameAnew(text);
}

function nameAnew(text: string): string {
  const name = `c${given.toString(36)}`;
  given += 1;
  names.set(text, name);
  return name;
}
