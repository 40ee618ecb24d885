import { defineErrors } from '@chowk/kit';

export const errors = {
  'notifications.not_found': { status: 404, message: 'There is no notification {id}.' },
  'notifications.rule_not_found': { status: 404, message: 'There is no notification rule {id}.' },
  'notifications.preset_not_found': { status: 404, message: 'There is no preset {key}.' },
  'notifications.too_many_rules': {
    status: 409,
    message: 'A tenant can have at most {max} notification rules. Delete one first.',
  },
  'notifications.provider_not_found': { status: 404, message: 'The provider {name} is not configured.' },
  'notifications.bad_signature': { status: 403, message: 'The signature of the request is not valid.' },
  'notifications.device_not_found': { status: 404, message: 'There is no device {id}.' },
} as const;

export const fail = defineErrors(errors);
