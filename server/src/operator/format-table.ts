/** Formats rows as a text table; the keys of the first row are the headings. */
export function formatTable(rows: readonly object[]): string {
  const [first] = rows;
  if (!first) return '';
  const headings = Object.keys(first);
  const cells = rows.map((row) => headings.map((heading) => cellText(row[heading as keyof typeof row])));
  const widths = headings.map((heading, at) => Math.max(heading.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(headings.map((heading) => heading.toUpperCase())), ...cells.map(line)].join('\n');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
