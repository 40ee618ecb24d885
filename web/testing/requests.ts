import type { Page } from 'playwright-core';

/** Counts the requests of a page to the API, by address. */
export function countRequests(page: Page) {
  const counts = new Map<string, number>();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    const address = `${request.method()} ${pathname}${search}`;
    if (pathname.startsWith('/api/')) counts.set(address, (counts.get(address) ?? 0) + 1);
  });
  return {
    clear: () => counts.clear(),
    repeated: () => [...counts].filter(([, count]) => count > 1),
    /** The paths, once no request has been sent for a second. */
    async settle(): Promise<string[]> {
      for (let before = -1; before !== counts.size; ) {
        before = counts.size;
        await page.waitForTimeout(1_000);
      }
      return [...new Set([...counts.keys()].map((address) => address.split(/[ ?]/)[1] ?? ''))].sort();
    },
  };
}
