import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  settings,
  tags: { GraphQL: 'The GraphQL endpoint, its schema and persisted queries.' },
});
