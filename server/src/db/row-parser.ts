import { LRUCache } from 'lru-cache';
import type { FieldDef } from 'pg';
import { valueTypes } from './value-types.ts';

/** Converts the fields of a row from text to an object. */
export type RowParser = (fields: readonly (string | null)[]) => object;

const parsers = new LRUCache<string, RowParser>({ max: 5_000 });

/** Generates a function for rows with these columns. */
export function compileRowParser(columns: readonly FieldDef[]): RowParser {
  const key = JSON.stringify(columns.map(({ name, dataTypeID }) => [name, dataTypeID]));
  const parser = parsers.get(key) ?? generateParser(columns);
  parsers.set(key, parser);
  return parser;
}

function generateParser(columns: readonly FieldDef[]): RowParser {
  const valueParsers = columns.map(({ dataTypeID }) => valueTypes.getTypeParser(dataTypeID));
  // Of two columns with the same name the last one is used, as in `pg`.
  const indexes = new Map(columns.map(({ name }, index) => [name, index]));
  const properties = [...indexes].map(([name, index]) => `${propertyKey(name)}: ${valueAt(index)}`);
  const generate = new Function('parsers', `return (fields) => ({ ${properties.join(', ')} });`);
  return generate(valueParsers);
}

/** Computed keys are slower, but a literal `__proto__` would set the prototype. */
function propertyKey(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}

function valueAt(index: number): string {
  return `fields[${index}] === null ? null : parsers[${index}](fields[${index}])`;
}
