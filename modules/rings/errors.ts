import { defineErrors } from '@chowk/kit';

export const errors = {
  'rings.module_not_found': { status: 404, message: 'There is no module {module}.' },
  'rings.module_is_system': {
    status: 409,
    message: 'The module {module} is part of the platform. It cannot be disabled.',
  },
  'rings.module_in_use': {
    status: 409,
    message: 'The module {module} is needed by {modules}. Disable what needs it first.',
  },
  'rings.module_requires': {
    status: 409,
    message: 'The module {module} needs {modules}. Enable what it needs first.',
  },
  'rings.module_not_migrated': {
    status: 409,
    message: 'The database of this tenant is still being migrated. Try again in a few minutes.',
  },
  'rings.not_found': { status: 404, message: 'There is no ring {ring}.' },
  'rings.not_active': { status: 409, message: 'The ring {ring} is not active: no tenant can be assigned to it.' },
  'rings.assignment_refused': { status: 409, message: 'The tenant cannot be assigned: {reason}.' },
  'rings.platform_only': { status: 403, message: 'Only the owner of the platform can do this.' },
  'rings.tenant_not_found': { status: 404, message: 'There is no tenant {tenant}.' },
  'rings.tenant_state': { status: 409, message: 'The tenant {tenant} is {status}, so this is not possible now.' },
  'rings.own_tenant': { status: 409, message: 'The tenant of the platform owner cannot be suspended.' },
  'rings.other_ring': { status: 409, message: 'This process cannot do it: {reason}.' },
  'rings.promotion_refused': { status: 409, message: 'The module was not promoted: {reason}.' },
  'rings.job_not_found': { status: 404, message: 'There is no such failed job. It may have been retried already.' },
} as const;

export const fail = defineErrors(errors);
