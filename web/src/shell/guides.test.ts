import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { settingLabel } from '../pages/settings/setting-schema.ts';
import { findGuide } from './guides.ts';

/** The titles and files of the guides that the server shows, by name. It is no part of the console. */
async function readGuides(): Promise<Map<string, { title: string; file: string }>> {
  const text = await readFile('server/src/http/guides/pages.ts', 'utf8');
  const folders = new Map(
    [...text.matchAll(/const (\w+) = \(name: string, title: string\): Guide => .* file: `(.*)\$\{name\}\.md`/g)].map(
      ([, helper, folder]) => [helper, folder],
    ),
  );
  return new Map(
    [...text.matchAll(/\b(\w+)\('([a-z-]+)', '([^']+)'\)/g)].map(([, helper, name = '', title = '']) => [
      name,
      { title, file: `docs/${folders.get(helper)}${name}.md` },
    ]),
  );
}

interface Route {
  readonly path: string;
  /** Whether the page has the menu with the guide. */
  readonly isInShell: boolean;
}

/** All pages of the console, with `1` for parameters, and each page of the settings. */
async function readRoutes(): Promise<Route[]> {
  const files = [...(await Array.fromAsync(glob('web/src/pages/*/routes.ts'))), 'web/src/routes.ts'];
  const routes = (await Promise.all(files.map(readFileRoutes))).flat();
  const settings = await readFile('web/src/shell/settings-index.ts', 'utf8');
  const pages = [...settings.matchAll(/\bkey: '(\w+)'/g)].map(([, key]) => key as string);
  return routes.flatMap((route) =>
    route.path === '/settings/$page'
      ? pages.map((page) => ({ ...route, path: `/settings/${page}` }))
      : { ...route, path: route.path.replaceAll(/\$\w+/g, '1') },
  );
}

const declaration =
  /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(path|id): '([^']*)'([\s\S]*?)\n\}\);/g;

async function readFileRoutes(file: string): Promise<Route[]> {
  const text = await readFile(file, 'utf8');
  const found = [...text.matchAll(declaration)].map(([, name = '', parent = '', kind, path = '', rest = '']) => {
    // Without a component, a route only redirects.
    return { name, parent, path: kind === 'path' ? path : '', isPage: rest.includes('component: ') };
  });
  expect({ file, routes: found.length }).toEqual({ file, routes: text.match(/= createRoute\(/g)?.length });
  const isInShell = (parent: string): boolean =>
    parent === 'shell' || found.some((one) => one.name === parent && isInShell(one.parent));
  const wholePath = ({ parent, path }: { parent: string; path: string }): string => {
    const above = found.find(({ name }) => name === parent);
    return path.startsWith('/') || !above ? path : `${wholePath(above)}/${path}`;
  };
  return found
    .filter(({ isPage }) => isPage)
    .map((route) => ({ path: wholePath(route), isInShell: isInShell(route.parent) }))
    .filter(({ path }) => path.startsWith('/') && path !== '/$');
}

const guides = await readGuides();
const routes = await readRoutes();

test('the routes of the console are found', async () => {
  const paths = routes.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['/', '/orders/drafts/1', '/customers/merge', '/platform/tenants/1', '/settings/widget']),
  );
  const files = (await readFile('web/src/router.tsx', 'utf8')).match(/from '\.\/pages\/\w+\/routes\.ts'/g) ?? [];
  expect(files.length).toBe((await Array.fromAsync(glob('web/src/pages/*/routes.ts'))).length);
});

test.each(routes.filter(({ isInShell }) => isInShell))('the page $path leads to a guide that exists', ({ path }) => {
  const { title, href } = findGuide(path);
  const guide = guides.get(href.replace('/docs/', ''));
  expect(title).toBe(`Guide: ${guide?.title}`);
  expect(existsSync(guide?.file ?? '')).toBe(true);
});

test.each(routes.filter(({ isInShell }) => !isInShell))('the page $path has no guide of its own', ({ path }) => {
  expect(findGuide(path).title).toBe('All guides');
});

test.each([
  ['/', '/docs/console'],
  ['/orders/1042', '/docs/orders'],
  ['/developers/webhooks/new', '/docs/webhooks'],
  ['/settings', '/docs/settings'],
  ['/settings/payments', '/docs/payments'],
  ['/teams', '/docs/console'],
])('the page %s leads to the guide %s', (path, href) => {
  expect(findGuide(path).href).toBe(href);
});

/** Texts between asterisks, which are labels of the console; an arrow leads from one to the next. */
function labelsOf(guide: string): string[] {
  const texts = [...guide.replaceAll('**', '').matchAll(/(?<![\w*])\*([^*\s][^*]*)\*/g)].map(([, text = '']) => text);
  return texts.flatMap((text) => text.replaceAll(/\s+/g, ' ').split(' → '));
}

/** The texts of the console, those that the platform sends it, and the names of settings. */
async function readLabels(): Promise<Set<string>> {
  const read = async (pattern: string) => {
    const files = await Array.fromAsync(glob(pattern, { exclude: ['**/*.test.ts'] }));
    return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  };
  const sources = ['web/src/**/*.{ts,tsx}', 'modules/customers/segments.ts', 'modules/notifications/rules/presets.ts'];
  const texts = (await Promise.all(sources.map(read))).join('\n').split(/[<>'"`{}]/);
  const settings = await Promise.all(['modules/*/settings.ts', 'server/src/tenancy/settings.ts'].map(read));
  const keys = settings.join('\n').matchAll(/'([a-z]+\.[a-z_]+)': /g);
  const names = [...keys].map(([, key = '']) => settingLabel(key));
  return new Set([...texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()), ...names]);
}

test('the guides for merchants name buttons, pages and fields as the console does', async () => {
  const labels = await readLabels();
  const files = await Array.fromAsync(glob('docs/merchants/*.md'));
  expect(files.length).toBe([...guides.values()].filter(({ file }) => file.startsWith('docs/merchants/')).length);
  for (const file of files) {
    const unknown = labelsOf(await readFile(file, 'utf8')).filter((label) => !labels.has(label));
    expect.soft({ file, unknown }).toEqual({ file, unknown: [] });
  }
});
