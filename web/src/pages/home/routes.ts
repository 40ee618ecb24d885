import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';

export const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: pick('days', 'chart'),
  component: lazyPage(() => import('./home-page.tsx'), 'HomePage'),
});
