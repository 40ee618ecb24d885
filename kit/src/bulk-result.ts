import { named, type Static, Type } from './schema.ts';

export const BulkMode = Type.Enum(['each', 'all_or_nothing'], {
  description: '`each`: items succeed or fail on their own. `all_or_nothing`: if one fails, nothing is changed (422).',
});
export type BulkMode = Static<typeof BulkMode>;

const Texts = Type.Record(Type.String(), Type.Array(Type.String()));
const BulkError = named(
  'BulkError',
  Type.Object(
    {
      message: Type.String({ examples: ['Another customer has this email.'] }),
      code: Type.String({ examples: ['http.validation_failed'] }),
      errors: Type.Optional(Texts),
      error_codes: Type.Optional(Texts),
    },
    { additionalProperties: true, description: 'The response that a single request would have.' },
  ),
);

/** What has become of an item. */
export const BulkResult = named(
  'BulkResult',
  Type.Object({
    index: Type.Integer({ description: 'The position of the item, from 0.', examples: [0] }),
    status: Type.Integer({ description: 'The HTTP status that a single request would have.', examples: [201] }),
    id: Type.Optional(Type.String({ description: 'The id of the record.' })),
    error: Type.Optional(BulkError),
    ignored_fields: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The fields of the item that are unknown and were ignored.',
        examples: [['colour']],
      }),
    ),
  }),
);
export type BulkResult = Static<typeof BulkResult>;

/** The action that an item calls, or the id of a record that already is as the item says. */
export type PlannedCall = { readonly action: string; readonly input: object } | { readonly id: string };
