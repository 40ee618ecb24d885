import type { GraphqlError } from '@chowk/kit';
import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  type SelectionSetNode,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  validate,
  visit,
} from 'graphql';
import { graphqlError } from './graphql-refusal.ts';

const maxErrors = 5;
const maxLocations = 10;
/** Pairs of fields with the same name, each of which the validation compares. */
const maxPairs = 30_000;

/** The errors of a document that has been parsed by `parseDocument`. Names of the schema are suggested only if `suggest`. */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  suggest: boolean,
): readonly GraphqlError[] {
  const options = { maxErrors, hideSuggestions: !suggest };
  const check = (checked: DocumentNode, rules: readonly ValidationRule[]) =>
    withoutText(document, () => validate(schema, checked, rules, options)).map(validationError);
  const errors = check(document, linearRules);
  if (errors.length > 0) return errors;
  const distinct = withoutRepeats(document);
  return countPairs(distinct) > maxPairs ? [tooManyPairs] : check(distinct, [OverlappingFieldsCanBeMergedRule]);
}

/** All except the rule that compares fields in pairs, which can rely on the others. */
const linearRules = [
  ...specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule),
  supportedOperations,
];

function supportedOperations(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition: (node) => {
      if (context.getSchema().getRootType(node.operation)) return;
      context.reportError(new GraphQLError(`The schema has no type for a ${node.operation}.`, { nodes: node }));
    },
  };
}

/** Removes selections that repeat another one of their set to the letter: they change nothing. */
function withoutRepeats(document: DocumentNode): DocumentNode {
  const text = document.loc?.source.body ?? '';
  const textOf = ({ loc }: ASTNode) => text.slice(loc?.start, loc?.end);
  return visit(document, {
    SelectionSet: (set): SelectionSetNode | undefined => {
      if (set.selections.length === 1) return undefined;
      const selections = new Map(set.selections.map((selection) => [textOf(selection), selection]));
      return selections.size < set.selections.length ? { ...set, selections: [...selections.values()] } : undefined;
    },
  });
}

function countPairs(document: DocumentNode): number {
  const fields = new Map<string, number>();
  let pairs = 0;
  visit(document, {
    [Kind.FIELD]: ({ alias, name }) => {
      const { value } = alias ?? name;
      const before = fields.get(value) ?? 0;
      fields.set(value, before + 1);
      pairs += before;
    },
  });
  return pairs;
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
