import type { SchemaChange } from '@chowk/kit/kernel';
import {
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** What changes for clients, breaking changes first. */
export function schemaChanges(from: GraphQLSchema, to: GraphQLSchema): SchemaChange[] {
  return [
    ...findBreakingChanges(from, to).map(({ type, description }) => schemaChange('breaking', type, description)),
    ...findDangerousChanges(from, to).map(({ type, description }) => schemaChange('dangerous', type, description)),
    ...additions(from, to),
  ];
}

/** Types, fields and directives that only the new schema has. New arguments and input fields are dangerous. */
function additions(from: GraphQLSchema, to: GraphQLSchema): SchemaChange[] {
  const types = Object.values(to.getTypeMap());
  const directives = to.getDirectives().filter(({ name }) => !from.getDirective(name));
  return [
    ...types
      .filter(({ name }) => !from.getType(name))
      .map(({ name }) => schemaChange('safe', 'TYPE_ADDED', `${name} was added.`)),
    ...types.flatMap((type) => newFields(from.getType(type.name), type)),
    ...directives.map(({ name }) => schemaChange('safe', 'DIRECTIVE_ADDED', `@${name} was added.`)),
  ];
}

function newFields(from: GraphQLNamedType | undefined, to: GraphQLNamedType): SchemaChange[] {
  if (!hasOutputFields(from) || !hasOutputFields(to)) return [];
  const known = from.getFields();
  return Object.keys(to.getFields())
    .filter((name) => !known[name])
    .map((name) => schemaChange('safe', 'FIELD_ADDED', `${to.name}.${name} was added.`));
}

function hasOutputFields(type: GraphQLNamedType | undefined) {
  return isObjectType(type) || isInterfaceType(type);
}

function schemaChange(severity: SchemaChange['severity'], kind: string, description: string): SchemaChange {
  return { severity, kind, description };
}
