import { defineModule, type OperationTypes } from '@chowk/kit';
import { actions } from './actions.ts';
import { diffCommand } from './diff.ts';
import { errors } from './errors.ts';
import { operations } from './operations.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  operations,
  commands: [diffCommand],
  settings,
  errors,
  tags: { GraphQL: 'The GraphQL endpoint, its schema and persisted queries.' },
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    graphql: OperationTypes<typeof operations>;
  }
}
