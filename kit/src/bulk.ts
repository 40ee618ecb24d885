import type { Action } from './action.ts';
import { BulkMode, BulkResult, type PlannedCall } from './bulk-result.ts';
import type { Ctx } from './context.ts';
import { invalid } from './errors.ts';
import { Default, named, type TObject, Type } from './schema.ts';

const maxItems = 1_000;

type Item = Readonly<Record<string, unknown>>;

interface CommonForm extends Pick<Action, 'summary' | 'description' | 'http'> {
  readonly needs: string | readonly string[];
  /** An item, for the API description: its action validates it. */
  readonly item: TObject;
}

/** Items that each call an action of the module. */
interface PlannedForm extends CommonForm {
  /** Decides in the transaction of the item which action it calls. */
  plan(ctx: Ctx, item: Item): Promise<PlannedCall>;
}

/** Items that each create or update a record. */
interface RecordForm extends CommonForm {
  readonly create: string;
  readonly update: string;
  /** The actions that create or update a record, by the field that identifies it. */
  readonly upsert: Readonly<Record<string, string>>;
}

/**
 * Declares an action that takes up to 1,000 items, each of which calls an action as a request of its own does: with the same
 * permission, validation, rules, events and audit entry.
 */
export function bulk(form: PlannedForm | RecordForm): Action {
  const { item, ...declaration } = form;
  const Items = Type.Array(describedItem(item), { minItems: 1, maxItems });
  return {
    ...declaration,
    bodyLimit: 10 * 1024 * 1024,
    input: Type.Object({
      mode: Default(BulkMode, 'each'),
      ...('upsert' in form ? { match: matchField(form) } : {}),
      items: Items,
    }),
    output: named(
      'BulkReport',
      Type.Object({ succeeded: Type.Integer(), failed: Type.Integer(), results: Type.Array(BulkResult) }),
    ),
    errors: ['http.bulk_failed'],
    async run(ctx: Ctx, { mode, match = '', items }: Input) {
      const plan = (tx: Ctx, one: Item) =>
        'upsert' in form ? Promise.resolve(planRecord(form, match, one)) : form.plan(tx, one);
      const results = await ctx.performEach(items, { mode, plan });
      const failed = results.filter(({ error }) => error).length;
      return { succeeded: results.length - failed, failed, results };
    },
  } as unknown as Action;
}

interface Input {
  readonly mode: BulkMode;
  readonly match?: string;
  readonly items: readonly Item[];
}

/** Accepts any object: a wrong item has an error of its own. */
function describedItem(item: TObject) {
  return Type.Unsafe<Item>({ type: 'object', additionalProperties: true, describedBy: item });
}

function matchField({ upsert }: RecordForm) {
  const names = ['id', ...Object.keys(upsert)].map((name) => (name === 'external_ids' ? `${name}.<platform>` : name));
  const patterns = names.map((name) => name.replace('.<platform>', '\\.[^\\p{Cc}\\p{Cs}]{1,50}'));
  return Default(
    Type.String({
      pattern: `^(${patterns.join('|')})$`,
      description: `The field that identifies an existing record: ${names.join(', ')}. With \`id\`, items without one are new.`,
      examples: [names.at(-1)?.replace('<platform>', 'shopify')],
    }),
    'id',
  );
}

function planRecord({ create, update, upsert }: RecordForm, match: string, item: Item): PlannedCall {
  if (match === 'id') return { action: item['id'] === undefined ? create : update, input: item };
  const [field = '', platform] = match.split(/\.(.*)/s);
  const value = platform === undefined ? item[field] : (item[field] as Item | undefined)?.[platform];
  if (value === undefined || value === null) {
    throw invalid({ [match]: { code: 'required', message: `The item needs ${match}, which identifies the record.` } });
  }
  const key = platform === undefined ? {} : { platform, external_id: value };
  return { action: upsert[field] as string, input: { ...item, ...key } };
}
