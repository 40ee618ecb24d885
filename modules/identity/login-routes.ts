import type { Route } from '@chowk/kit';

export const loginRoutes: Route[] = [];
