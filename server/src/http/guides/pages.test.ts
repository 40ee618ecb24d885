import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { anchor } from './markdown.ts';
import { guideAddress, guides } from './pages.ts';

const docs = resolve(import.meta.dirname, '../../../../docs');
const texts = new Map<string, string>();
for (const { name, file } of guides) texts.set(name, await readFile(join(docs, file), 'utf8'));

test('every file of the guides is shown, each under a name of its own', async () => {
  for (const folder of ['guides', 'merchants']) {
    const files = (await readdir(join(docs, folder))).filter((file) => file.endsWith('.md'));
    expect(guides.map(({ file }) => file)).toEqual(expect.arrayContaining(files.map((file) => `${folder}/${file}`)));
  }
  expect(new Set(guides.map(({ name }) => name)).size).toBe(guides.length);
});

/** The anchors of headings, outside of code. */
function anchorsOf(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    anchor(heading),
  );
}

test('links between guides lead to a heading that exists, and those of guides for merchants to a guide', () => {
  for (const { name, file } of guides) {
    for (const [, target = ''] of (texts.get(name) ?? '').matchAll(/\]\(([^)\s]+)\)/g)) {
      const address = guideAddress(target);
      if (file.startsWith('merchants/'))
        expect({ file, target, address }).toMatchObject({ address: expect.any(String) });
      const [, page = name, heading] = /^(?:\/docs\/([a-z-]+))?#(.+)$/.exec(address ?? '') ?? [];
      if (heading !== undefined)
        expect({ file, target, anchors: anchorsOf(texts.get(page) ?? '') }).toMatchObject({
          anchors: expect.arrayContaining([heading]),
        });
    }
  }
});
