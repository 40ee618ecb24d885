import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { settings } from './settings.ts';

export const module = defineModule({
  actions,
  errors,
  settings,
  tags: { MCP: 'Agents call the actions as tools, over the Model Context Protocol.' },
});
