import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

const fieldNames = new WeakMap<object, ReadonlySet<string>>();
const recordFieldNames = new WeakMap<object, ReadonlySet<string> | undefined>();

/** The names of the fields that the operation selects below this field. */
export function selectedFields({ fieldNodes, fragments }: GraphQLResolveInfo): ReadonlySet<string> {
  const [node] = fieldNodes;
  const known = node && fieldNodes.length === 1 ? fieldNames.get(node) : undefined;
  if (known) return known;
  const names = new Set(childFields(fieldNodes, fragments).map(fieldName));
  if (node && fieldNodes.length === 1) fieldNames.set(node, names);
  return names;
}

/**
 * The names of the fields that the operation selects of the records of a connection; `undefined` if one has a resolver,
 * which may need any field.
 */
export function selectedRecordFields(info: GraphQLResolveInfo): ReadonlySet<string> | undefined {
  const [node] = info.fieldNodes;
  if (!node || info.fieldNodes.length > 1) return undefined;
  if (!recordFieldNames.has(node)) recordFieldNames.set(node, findRecordFields(info, node));
  return recordFieldNames.get(node);
}

function findRecordFields({ fragments, returnType }: GraphQLResolveInfo, field: FieldNode) {
  const children = (parents: readonly FieldNode[], name: string) =>
    childFields(parents, fragments).filter((child) => fieldName(child) === name);
  const records = [...children([field], 'nodes'), ...children(children([field], 'edges'), 'node')];
  const names = new Set(childFields(records, fragments).map(fieldName));
  names.delete('__typename');
  const connection = getNamedType(returnType);
  const record = isObjectType(connection) ? getNamedType(connection.getFields().nodes?.type) : undefined;
  if (!isObjectType(record)) return undefined;
  const fields = record.getFields();
  return [...names].every((name) => fields[name] && !fields[name].resolve) ? names : undefined;
}

function fieldName({ name }: FieldNode): string {
  return name.value;
}

function childFields(fields: readonly FieldNode[], fragments: Fragments): FieldNode[] {
  return fields.flatMap(({ selectionSet }) => (selectionSet ? fieldsIn(selectionSet, fragments) : []));
}

function fieldsIn({ selections }: SelectionSetNode, fragments: Fragments): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsIn(selection.selectionSet, fragments);
    return fieldsIn((fragments[selection.name.value] as FragmentDefinitionNode).selectionSet, fragments);
  });
}
