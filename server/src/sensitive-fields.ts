/* Fields that hold secrets or personal data, recognized by their names, in JSON of any module. */

const secretNames = 'password|secret|token|otp|authorization|card|cvv|pin';
const personalNames =
  'phone|mobile|mail|address|street|(?:first|last|full|customer|contact)_?name|external_?id|tracking_(?:number|url)';
/** Free text and search terms. Matched as whole names only. */
const freeTextNames = 'to|city|state|country|company|tags|notes?|message|body|subject|reason|metadata|search|q';

const personalOrSecret = new RegExp(`${secretNames}|${personalNames}|^(?:${freeTextNames})$`, 'i');
const inJson = new RegExp(`${secretNames}|${personalNames}|"(?:${freeTextNames})"`, 'i');

/** Fields of customers that need `customers.view_sensitive`. */
const sensitive = /(?:^|_)(?:phone|mobile)$|^(?:address|street)(?:_?line)?_?[12]?$/i;

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The fields of a schema that need `customers.view_sensitive`, by dotted path. */
export function sensitiveFieldsIn(schema: object): ReadonlySet<string> {
  return new Set(sensitivePaths(schema, []));
}

function* sensitivePaths({ properties, items, anyOf = [] }: Schema, path: readonly string[]): Generator<string> {
  for (const inner of items ? [items, ...anyOf] : anyOf) yield* sensitivePaths(inner, path);
  for (const [name, inner] of Object.entries(properties ?? {})) yield* sensitivePaths(inner, [...path, name]);
  const isValue = !properties && !items && anyOf.every((one) => !one.properties && !one.items);
  if (isValue && sensitive.test(path.at(-1) ?? '')) yield path.join('.');
}

export function isPersonalOrSecret(name: string): boolean {
  return personalOrSecret.test(name);
}

/** A quick test on JSON text: most has no such name. */
export function mayContainPersonalOrSecret(json: string): boolean {
  return inJson.test(json);
}
