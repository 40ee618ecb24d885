import type { TSchema } from '@chowk/kit/kernel';
import buildSerializer from 'fast-json-stringify';

type Serializer = (value: unknown) => string;

/**
 * Serializes responses, without fields that are not in the schema. Built with the first response: building all serializers
 * would take half of the start.
 */
export function responseSerializer(schema: TSchema): Serializer {
  let serialize: Serializer | undefined;
  return (value) => {
    serialize ??= getSerializer(JSON.stringify(schema));
    try {
      return serialize(value);
    } catch (cause) {
      throw new OutputError(`the output does not match its schema: ${(cause as Error).message}`, { cause });
    }
  };
}

/** An action has returned something else than it declares. */
export class OutputError extends Error {}

const serializers = new Map<string, Serializer>();

/** Responses with the same schema share a serializer. */
function getSerializer(schema: string): Serializer {
  const serializer = serializers.get(schema) ?? buildSerializer(withoutFormats(schema));
  serializers.set(schema, serializer);
  return serializer;
}

/** Dates are already text: without `format` the serializer does not check for Date objects. */
function withoutFormats(schema: string): TSchema {
  return JSON.parse(schema, (key, value) => (key === 'format' && typeof value === 'string' ? undefined : value));
}
