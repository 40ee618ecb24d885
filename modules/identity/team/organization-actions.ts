import { Line, named, type Static, systemAction, Timestamp, Type } from '@chowk/kit';
import { getOrganization, renameOrganization } from './organization.ts';

const name = Line(255, { examples: ['Tea House'] });

const Organization = named(
  'Organization',
  Type.Object({
    id: Type.String({ description: 'Never changes.', examples: ['tea-house'] }),
    name,
    domain: Type.String({ description: 'Its main domain, without a port.', examples: ['tea-house.example.com'] }),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Organization = Static<typeof Organization>;

const OrganizationChanges = named('OrganizationChanges', Type.Object({ name: Type.Optional(name) }));
export type OrganizationChanges = Static<typeof OrganizationChanges>;

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
