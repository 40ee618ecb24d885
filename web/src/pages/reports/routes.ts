import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';

export const reports = createRoute({
  getParentRoute: () => shell,
  path: '/reports',
  validateSearch: pick('report', 'days', 'from', 'to', 'chart', 'by', 'sort', 'order', 'page', 'stock', 'currency'),
  component: lazyPage(() => import('./reports-page.tsx'), 'ReportsPage'),
});
