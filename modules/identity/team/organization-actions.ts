import { systemAction } from '@chowk/kit';
import { getOrganization, renameOrganization } from './organization.ts';
import { Organization, OrganizationChanges } from './organization-schemas.ts';

const tag = 'Organization';

export const organizationActions = {
  'organization.get': systemAction({
    summary: 'Get the organization',
    tag,
    http: 'GET /organization',
    needs: 'settings.view',
    output: Organization,
    answer: { key: 'organization' },
    run: getOrganization,
  }),
  'organization.update': systemAction({
    summary: 'Rename the organization',
    description: 'Its id and its domains stay as they are.',
    tag,
    http: 'PATCH /organization',
    needs: 'settings.edit',
    input: OrganizationChanges,
    output: Organization,
    answer: { key: 'organization', message: 'Organization saved.' },
    run: renameOrganization,
  }),
};
