import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { diffCommand } from './diff.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  commands: [diffCommand],
  settings,
  tags: { GraphQL: 'The GraphQL endpoint, its schema and persisted queries.' },
});
