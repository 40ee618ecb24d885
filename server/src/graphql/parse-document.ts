import { type DocumentNode, GraphQLError, Kind, Lexer, parse, Source, type Token, TokenKind } from 'graphql';
import { GraphqlRefusal, graphqlError } from './graphql-refusal.ts';

// Far more than an operation within the limits needs, and few enough for `validateDocument` to be fast.
const maxTokens = 5_000;
const maxComments = 1_000;
const maxDefinitions = 50;
const maxOperations = 20;
const maxSpreads = 300;
const maxDirectives = 200;
const maxNameLength = 128;
/** graphql-js counts lines to find the position of an error. */
const maxLines = 2_000;
/** The parser and some validation rules are recursive. */
const maxNesting = 64;

/** Parses the text of an operation. Throws `GraphqlRefusal` if it is not GraphQL or too large to be validated quickly. */
export function parseDocument(text: string): DocumentNode {
  const source = new Source(text);
  try {
    const lexer = new LimitedLexer(source);
    const document = parse(source, { lexer, maxLexicalTokens: maxTokens, maxComments });
    limitDefinitions(document);
    return document;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphqlRefusal(graphqlError('GRAPHQL_PARSE_FAILED', error.message, error.locations));
  }
}

function limitDefinitions({ definitions }: DocumentNode): void {
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operations.length > maxOperations) throw tooMany(maxOperations, 'operations');
  if (definitions.length > maxDefinitions) throw tooMany(maxDefinitions, 'operations and fragments');
}

function tooMany(
  maximum: number,
  what: string,
  at?: { readonly source: Source; readonly positions: number[] },
): GraphQLError {
  return new GraphQLError(`The document has more than ${maximum} ${what}. Simplify it.`, at);
}

/** Checks each token before the parser sees it, so that nesting cannot overflow the stack. */
class LimitedLexer extends Lexer {
  #nesting = 0;
  #directives = 0;
  #spreads = 0;

  override advance(): Token {
    const token = super.advance();
    this.#limit(token, this.line, maxLines, 'lines');
    switch (token.kind) {
      case TokenKind.PAREN_L:
      case TokenKind.BRACKET_L:
      case TokenKind.BRACE_L:
        this.#limit(token, ++this.#nesting, maxNesting, 'levels of nested brackets');
        break;
      case TokenKind.PAREN_R:
      case TokenKind.BRACKET_R:
      case TokenKind.BRACE_R:
        this.#nesting -= 1;
        break;
      case TokenKind.AT:
        this.#limit(token, ++this.#directives, maxDirectives, 'directives');
        break;
      case TokenKind.SPREAD:
        this.#limit(token, ++this.#spreads, maxSpreads, 'fragment spreads and inline fragments');
        break;
      case TokenKind.NAME:
        this.#limit(token, token.value.length, maxNameLength, 'characters in a name');
    }
    return token;
  }

  #limit(token: Token, value: number, maximum: number, what: string): void {
    if (value > maximum) throw tooMany(maximum, what, { source: this.source, positions: [token.start] });
  }
}
