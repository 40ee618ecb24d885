import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';
import { listSearch } from './rule-list.ts';

const rules = createRoute({
  getParentRoute: () => shell,
  path: '/rules',
  validateSearch: listSearch,
  component: lazyPage(() => import('./rules-page.tsx'), 'RulesPage'),
});

const rule = createRoute({
  getParentRoute: () => rules,
  path: '$id',
  validateSearch: pick('tab', 'status'),
  component: lazyPage(() => import('./rule-panel.tsx'), 'RulePanel'),
});

const newRule = createRoute({
  getParentRoute: () => rules,
  path: 'new',
  component: lazyPage(() => import('./new-rule.tsx'), 'NewRulePanel'),
});

export const ruleRoutes = [rules.addChildren([rule, newRule])] as const;
