import { defineModule } from '@chowk/kit';
import { errors } from './errors.ts';
import { installCommand } from './install-command.ts';
import { resetCommand } from './reset-command.ts';
import { routes } from './routes.ts';

export const module = defineModule({ routes, commands: [installCommand, resetCommand], errors });
