import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lazy-page.tsx';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';

export const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: pick('days', 'chart'),
  component: lazyPage(() => import('./home-page.tsx'), 'HomePage'),
});
