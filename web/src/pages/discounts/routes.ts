import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';
import { listSearch } from './discount-list.ts';

const discounts = createRoute({
  getParentRoute: () => shell,
  path: '/discounts',
  validateSearch: listSearch,
  component: lazyPage(() => import('./discounts-page.tsx'), 'DiscountsPage'),
});

const discount = createRoute({
  getParentRoute: () => discounts,
  path: '$id',
  component: lazyPage(() => import('./discount-panel.tsx'), 'DiscountPanel'),
});

/** `copy` is the discount that it begins as a copy of. */
const newDiscount = createRoute({
  getParentRoute: () => discounts,
  path: 'new',
  validateSearch: pick('copy'),
  component: lazyPage(() => import('./new-discount.tsx'), 'NewDiscountPanel'),
});

export const discountRoutes = [discounts.addChildren([discount, newDiscount])] as const;
