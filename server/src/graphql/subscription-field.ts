import {
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

/** A subscription has one event, in every request: the rule of graphql-js throws for a condition with a variable. */
export function oneSubscriptionField(context: ValidationContext): ASTVisitor {
  const report = (message: string, nodes: readonly SelectionNode[]) =>
    context.reportError(new GraphQLError(message, { nodes }));
  return {
    OperationDefinition: (operation) => {
      if (operation.operation !== 'subscription') return;
      const selections = rootSelections(context.getDocument(), operation);
      const isConditional = ({ directives = [] }: SelectionNode) =>
        directives.some(({ name }) => name.value === 'skip' || name.value === 'include');
      const conditional = selections.filter(isConditional);
      const fields = selections.filter((selection) => selection.kind === Kind.FIELD);
      const names = new Set(fields.map(({ alias, name }) => (alias ?? name).value));
      if (names.size !== 1) report('A subscription must select one field.', fields);
      else if (fields.some(({ name }) => name.value.startsWith('__')))
        report('A subscription must select an event.', fields);
      else if (conditional.length > 0)
        report('The field of a subscription cannot have @skip or @include.', conditional);
    },
  };
}

/** The only field that a valid subscription selects. */
export function subscriptionField(document: DocumentNode, operation: OperationDefinitionNode): FieldNode {
  return rootSelections(document, operation).find((selection) => selection.kind === Kind.FIELD) as FieldNode;
}

/** The selections of the operation and of its fragments, each fragment once. */
function rootSelections(document: DocumentNode, operation: OperationDefinitionNode): SelectionNode[] {
  const fragments = new Map<string, SelectionSetNode>();
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one.selectionSet);
  }
  const found: SelectionNode[] = [];
  const sets = [operation.selectionSet];
  for (const { selections } of sets) {
    for (const selection of selections) {
      found.push(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) sets.push(selection.selectionSet);
      if (selection.kind !== Kind.FRAGMENT_SPREAD) continue;
      const fragment = fragments.get(selection.name.value);
      fragments.delete(selection.name.value);
      if (fragment) sets.push(fragment);
    }
  }
  return found;
}
