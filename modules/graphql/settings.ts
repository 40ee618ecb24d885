import { type SettingTypes, setting, Type } from '@chowk/kit';

const permission = 'graphql.settings.manage';
/** A tenant may lower the limits of the platform. */
const limit = (maximum: number, description: string) =>
  setting({ schema: Type.Integer({ minimum: 1, maximum }), default: maximum, description, permission });

export const settings = {
  'graphql.persisted_queries_only': setting({
    schema: Type.Boolean(),
    default: false,
    description: 'Whether only persisted queries are executed.',
    permission,
  }),
  'graphql.record_unregistered': setting({
    schema: Type.Boolean(),
    default: false,
    description: 'Whether operations that are not persisted queries are recorded, so that they can be registered.',
    permission,
  }),
  'graphql.get_queries': setting({
    schema: Type.Boolean(),
    default: true,
    description:
      'Whether queries that are not persisted can be sent with GET, which puts their variables into the URL.',
    permission,
  }),
  'graphql.introspection': setting({
    schema: Type.Boolean(),
    default: false,
    description: 'Whether introspection is enabled, even if it is not for the platform.',
    permission,
  }),
  'graphql.audit_mutations': setting({
    schema: Type.Boolean(),
    default: true,
    description:
      'Whether all mutations are recorded in the audit log. Deletions and changes of fields, such as amounts, always are.',
    permission,
  }),
  'graphql.limits.depth': limit(7, 'The maximum depth of an operation.'),
  'graphql.limits.complexity': limit(1_000, 'The maximum complexity of an operation.'),
  'graphql.limits.aliases': limit(30, 'The maximum number of aliases in an operation.'),
};

declare module '@chowk/kit/catalogue' {
  interface Settings extends SettingTypes<typeof settings> {}
}
