import type { GraphqlError } from '@chowk/kit';
import { type DocumentNode, GraphQLError, Lexer, parse, Source, type Token, TokenKind } from 'graphql';
import { GraphqlRefusal, graphqlError } from './graphql-refusal.ts';

/** About five times what an operation of the highest complexity needs. */
const maxTokens = 5_000;
const maxComments = 1_000;
/** The position of an error is found by counting lines. */
const maxLines = 2_000;
const maxDefinitions = 100;
const maxDirectives = 200;
const maxNameLength = 128;
/** The parser and the validation rules are recursive. */
const maxNesting = 64;

/** Parses the text of an operation. Throws `GraphqlRefusal` if it is not GraphQL or too large to be checked quickly. */
export function parseDocument(text: string): DocumentNode {
  const source = new Source(text);
  const document = parseWithin(source);
  const { length } = document.definitions;
  if (length <= maxDefinitions) return document;
  throw new GraphqlRefusal(
    parseError(`The document has ${length} operations and fragments; the limit is ${maxDefinitions}. Split it.`),
  );
}

function parseWithin(source: Source): DocumentNode {
  try {
    return parse(source, { lexer: new LimitedLexer(source), maxLexicalTokens: maxTokens, maxComments });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphqlRefusal(parseError(error.message, error.locations));
  }
}

function parseError(message: string, locations?: GraphqlError['locations']): GraphqlError {
  return graphqlError('GRAPHQL_PARSE_FAILED', message, locations);
}

/** Checks each token before the parser sees it, so that nesting cannot overflow the stack. */
class LimitedLexer extends Lexer {
  #nesting = 0;
  #directives = 0;

  override advance(): Token {
    const token = super.advance();
    this.#limit(token, this.line, maxLines, 'lines');
    if (opening.has(token.kind)) this.#limit(token, ++this.#nesting, maxNesting, 'levels of nested brackets');
    else if (closing.has(token.kind)) this.#nesting -= 1;
    else if (token.kind === TokenKind.AT) this.#limit(token, ++this.#directives, maxDirectives, 'directives');
    else if (token.kind === TokenKind.NAME) {
      this.#limit(token, token.value.length, maxNameLength, 'characters in a name');
    }
    return token;
  }

  #limit(token: Token, value: number, limit: number, what: string): void {
    if (value <= limit) return;
    const message = `The document has more than ${limit} ${what}. Simplify it.`;
    throw new GraphQLError(message, { source: this.source, positions: [token.start] });
  }
}

const opening = new Set<TokenKind>([TokenKind.PAREN_L, TokenKind.BRACKET_L, TokenKind.BRACE_L]);
const closing = new Set<TokenKind>([TokenKind.PAREN_R, TokenKind.BRACKET_R, TokenKind.BRACE_R]);
