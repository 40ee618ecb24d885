import type { GraphqlError } from '@chowk/kit/kernel';
import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  OverlappingFieldsCanBeMergedRule,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  validate,
  visit,
} from 'graphql';
import { graphqlError } from './graphql-refusal.ts';
import { oneSubscriptionField } from './subscription-field.ts';

const maxErrors = 5;
const maxLocations = 10;
/** Pairs of fields with the same name and with arguments or selections, each of which the validation compares. */
const maxPairs = 10_000;

/** The errors of a document of `parseDocument`. With `suggest`, a single error can name what was meant. */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  suggest: boolean,
): readonly GraphqlError[] {
  const { distinct, pairs } = withoutRepeats(document);
  const check = (rules: readonly ValidationRule[], hideSuggestions = true) =>
    withoutText(document, () => validate(schema, distinct, rules, { maxErrors, hideSuggestions })).map(validationError);
  const errors = check(linearRules);
  // Each suggestion takes milliseconds.
  if (errors.length > 0) return suggest && errors.length === 1 ? check(linearRules, false) : errors;
  return pairs > maxPairs ? [tooManyPairs] : check([OverlappingFieldsCanBeMergedRule]);
}

/** All except the rule that compares fields in pairs, which can rely on the others. */
const linearRules = [
  ...specifiedRules.filter(
    (rule) => rule !== OverlappingFieldsCanBeMergedRule && rule !== SingleFieldSubscriptionsRule,
  ),
  supportedOperations,
  oneSubscriptionField,
  ownVariableNames,
];

/** Engines keep variables in plain objects, where a missing one of such a name would be found. */
function ownVariableNames(context: ValidationContext): ASTVisitor {
  return {
    VariableDefinition: ({ variable }) => {
      const { value } = variable.name;
      if (!(value in Object.prototype)) return;
      context.reportError(new GraphQLError(`A variable cannot be named ${value}; rename it.`, { nodes: variable }));
    },
  };
}

function supportedOperations(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition: (node) => {
      if (context.getSchema().getRootType(node.operation)) return;
      context.reportError(new GraphQLError(`The schema has no type for a ${node.operation}.`, { nodes: node }));
    },
  };
}

/** Removes selections that repeat one of their set to the letter, which changes nothing, and counts the pairs. */
function withoutRepeats(document: DocumentNode): { readonly distinct: DocumentNode; readonly pairs: number } {
  const text = document.loc?.source.body ?? '';
  const fields = new Map<string, number>();
  let pairs = 0;
  const distinct = visit(document, {
    SelectionSet: (set) => {
      const seen = new Set<unknown>();
      const selections = set.selections.filter((selection) => {
        const { loc } = selection;
        const { size } = seen;
        return seen.add(loc ? text.slice(loc.start, loc.end) : selection).size > size;
      });
      return selections.length < set.selections.length ? { ...set, selections } : undefined;
    },
    Field: ({ alias, name, arguments: given, selectionSet }) => {
      if (!given?.length && !selectionSet) return;
      const { value } = alias ?? name;
      const before = fields.get(value) ?? 0;
      fields.set(value, before + 1);
      pairs += before;
    },
    Argument: () => false,
    Directive: () => false,
    VariableDefinition: () => false,
  });
  return { distinct, pairs };
}

const tooManyPairs = graphqlError(
  'QUERY_TOO_COMPLEX',
  'The document selects fields of the same name too often. Use fragments, or send several operations.',
);

/** graphql-js counts the lines of the text for each node of an error. Without the text, that costs nothing. */
function withoutText<T>(document: DocumentNode, run: () => T): T {
  const source = document.loc?.source;
  if (!source) return run();
  const { body } = source;
  source.body = '';
  try {
    return run();
  } finally {
    source.body = body;
  }
}

function validationError({ message, nodes = [] }: GraphQLError): GraphqlError {
  const tokens = nodes.slice(0, maxLocations).flatMap(({ loc }) => (loc ? [loc.startToken] : []));
  return graphqlError('GRAPHQL_VALIDATION_FAILED', message, tokens.length > 0 ? tokens : undefined);
}
