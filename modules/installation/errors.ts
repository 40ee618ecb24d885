import { defineErrors } from '@chowk/kit';

export const errors = {
  'installation.installed': { status: 403, message: 'The platform is already installed. Sign in.' },
  'installation.foreign': {
    status: 403,
    message: 'The installation can only be used at {url}. If that is not the address of this server, set APP_URL.',
  },
  'installation.token_required': {
    status: 403,
    message:
      'Send the install token in the header X-Install-Token: INSTALL_TOKEN or, if it is not set, the token that chowkd serve prints when it starts.',
  },
  'installation.out_of_order': { status: 409, message: 'Complete step {step} ({name}) first.' },
  'installation.not_empty': {
    status: 409,
    message: 'The organization already has records of its own. Demo data is for an empty one.',
  },
} as const;

export const fail = defineErrors(errors);
