import { defineModule } from '@chowk/kit';
import { admitRequest } from './access.ts';
import { actions } from './actions.ts';
import { errors } from './errors.ts';
import { greeting } from './greeting.ts';
import { installCommand } from './install-command.ts';
import { redirectPage } from './redirect-page.ts';
import { resetCommand } from './reset-command.ts';

export const module = defineModule({
  actions,
  gates: { '/install': admitRequest },
  redirectPage,
  greeting,
  commands: [installCommand, resetCommand],
  errors,
});
