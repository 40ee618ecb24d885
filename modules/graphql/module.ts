import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { diffCommand } from './diff.ts';
import { errors } from './errors.ts';
import { helpers } from './internal-api.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  helpers,
  commands: [diffCommand],
  settings,
  errors,
  tags: { GraphQL: 'The GraphQL endpoint, its schema and persisted queries.' },
});
