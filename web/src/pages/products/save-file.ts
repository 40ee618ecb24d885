/** Saves a file that the platform or this page has made. */
export async function saveFile(content: Response | string, name: string): Promise<void> {
  const blob = typeof content === 'string' ? new Blob([content], { type: 'text/csv' }) : await content.blob();
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
