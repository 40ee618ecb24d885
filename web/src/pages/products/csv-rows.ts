/** The first rows of a CSV file, to look at; the platform reads all of them, and strictly. */
export function firstRows(text: string, limit: number): readonly (readonly string[])[] {
  const rows: string[][] = [];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/gy;
  cells.lastIndex = text.startsWith('\ufeff') ? 1 : 0;
  let row: string[] = [];
  while (rows.length < limit && cells.lastIndex < text.length) {
    const match = cells.exec(text);
    // What the platform will refuse.
    if (!match) break;
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}
