import { defineModule } from '@chowk/kit';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { installCommand } from './install-command.ts';
import { resetCommand } from './reset-command.ts';

export const module = defineModule({ actions, commands: [installCommand, resetCommand], errors });
