/** The origins of addresses in lines: of a whole address, or of a name such as `shop.example.com`. */
export function readSites(text: string): string[] {
  const lines = text
    .split(/[\s,]+/)
    .map((line) => line.trim())
    .filter(Boolean);
  return [...new Set(lines.map(readSite))];
}

/** What is not an address stays, and the platform says so. */
function readSite(line: string): string {
  const url = URL.parse(/^https?:\/\//i.test(line) ? line : `https://${line}`);
  return url ? url.origin : line;
}
