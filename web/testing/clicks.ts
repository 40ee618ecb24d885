import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Counts the clicks of a page from now on, also over reloads; keys and typed texts are not clicks. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  const script = `addEventListener('click', ({ isTrusted, detail }) => {
    if (isTrusted && detail > 0) sessionStorage.setItem('clicks', Number(sessionStorage.getItem('clicks')) + 1);
  }, true)`;
  await page.addInitScript(script);
  await page.evaluate(script);
  return async () => Number(await page.evaluate("sessionStorage.getItem('clicks')"));
}

/** The number of clicks that the README records for a script. */
export async function recordedClicks(name: string): Promise<number> {
  const text = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  const row = text.split('\n').find((line) => line.startsWith(`| ${name} |`));
  return Number(row?.split('|').at(-2));
}
