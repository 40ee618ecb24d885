import { Line, named, type Static, Timestamp, Type } from '@chowk/kit';

const name = Line(255, { examples: ['Tea House'] });

export const Organization = named(
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

export const OrganizationChanges = named('OrganizationChanges', Type.Object({ name: Type.Optional(name) }));
export type OrganizationChanges = Static<typeof OrganizationChanges>;
