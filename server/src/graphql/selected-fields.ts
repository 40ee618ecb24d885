import { type FragmentDefinitionNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

const byNode = new WeakMap<object, ReadonlySet<string>>();

/** The names of the fields that the operation selects below this field. */
export function selectedFields({ fieldNodes, fragments }: GraphQLResolveInfo): ReadonlySet<string> {
  const [node] = fieldNodes;
  const known = node && fieldNodes.length === 1 ? byNode.get(node) : undefined;
  if (known) return known;
  const names = new Set<string>();
  for (const { selectionSet } of fieldNodes) if (selectionSet) collect(selectionSet, fragments, names);
  if (node && fieldNodes.length === 1) byNode.set(node, names);
  return names;
}

function collect(
  { selections }: SelectionSetNode,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
  names: Set<string>,
): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) names.add(selection.name.value);
    else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet, fragments, names);
    else collect((fragments[selection.name.value] as FragmentDefinitionNode).selectionSet, fragments, names);
  }
}
