import {
  ById,
  columnsFor,
  Default,
  Failure,
  forbidden,
  Issues,
  invalid,
  Line,
  NamedObject,
  type Static,
  type SystemCtx,
  signedIn,
  sql,
  systemAction,
  Timestamp,
  Type,
  taken,
  UserId,
  Uuid,
  violatedIndex,
} from '@chowk/kit';
import { fail } from './errors.ts';

/** For one list: all of them are loaded with it. */
const maxViews = 500;

const List = Type.String({
  maxLength: 100,
  description:
    'The action that lists, such as `orders.list`, `customers.list`, `products.list` or `conversations.list`.',
  examples: ['orders.list'],
});
const Filters = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  maxProperties: 50,
  description: 'Fields of the query of the list, with `sort_by` and `sort_order`, and without the page.',
  examples: [{ status: ['pending'], sort_by: 'updated_at' }],
});
const name = Line(100, { examples: ['Waiting for payment'] });
const NewSavedView = NamedObject('NewSavedView', {
  list: List,
  name,
  filters: Filters,
  is_shared: Default(Type.Boolean({ description: 'For the whole team. Otherwise only you see it.' }), false),
});
type NewSavedView = Static<typeof NewSavedView>;
const SavedViewChanges = NamedObject('SavedViewChanges', {
  id: Uuid,
  name: Type.Optional(name),
  filters: Type.Optional(Filters),
  is_shared: Type.Optional(Type.Boolean()),
});
const SavedView = NamedObject('SavedView', {
  id: Uuid,
  list: Type.String(),
  name: Type.String(),
  filters: Filters,
  is_shared: Type.Boolean(),
  user_id: { ...UserId, description: 'Who saved it.' },
  created_at: Timestamp,
  updated_at: Timestamp,
});
type SavedView = Static<typeof SavedView>;

const columns = columnsFor(SavedView, sql`v`);

async function listViews(ctx: SystemCtx, { list }: { list: string }): Promise<SavedView[]> {
  await checkList(ctx, list);
  return ctx.db.rows<SavedView>(sql`
    SELECT ${columns} FROM saved_views v WHERE v.list = ${list} AND (v.is_shared OR v.user_id = ${ctx.user.id})
    ORDER BY fold(v.name), v.id`);
}

async function createView(ctx: SystemCtx, { list, name, filters, is_shared }: NewSavedView): Promise<SavedView> {
  await checkFilters(ctx, list, filters);
  const now = ctx.now();
  const created = await refuseTakenName(
    ctx.db.row<SavedView>(sql`
      INSERT INTO saved_views AS v (id, list, name, filters, is_shared, user_id, created_at, updated_at)
      SELECT ${ctx.newId()}, ${list}, ${name}, ${JSON.stringify(filters)}::jsonb, ${is_shared}, ${ctx.user.id}, ${now}, ${now}
      WHERE (SELECT count(*) FROM saved_views WHERE list = ${list}) < ${maxViews}
      RETURNING ${columns}`),
  );
  if (!created) throw fail('views.too_many', { max: maxViews });
  return created;
}

async function updateView(ctx: SystemCtx, { id, ...changes }: Static<typeof SavedViewChanges>): Promise<SavedView> {
  const { list } = await findView(ctx, id);
  const { name = null, filters, is_shared = null } = changes;
  if (filters) await checkFilters(ctx, list, filters);
  const saved = await refuseTakenName(
    ctx.db.row<SavedView>(sql`
      UPDATE saved_views v SET name = coalesce(${name}, name), is_shared = coalesce(${is_shared}::boolean, is_shared),
        filters = coalesce(${filters ? JSON.stringify(filters) : null}::jsonb, filters), updated_at = ${ctx.now()}
      WHERE id = ${id} RETURNING ${columns}`),
  );
  if (!saved) throw fail('views.not_found', { id });
  return saved;
}

async function deleteView(ctx: SystemCtx, { id }: { id: string }): Promise<void> {
  await findView(ctx, id);
  await ctx.db.run(sql`DELETE FROM saved_views WHERE id = ${id}`);
}

/** A view that the caller may change: an own one or, with `settings.edit`, a shared one. */
async function findView(ctx: SystemCtx, id: string): Promise<Pick<SavedView, 'list'>> {
  const view = await ctx.db.row<Pick<SavedView, 'list' | 'user_id'>>(sql`
    SELECT list, user_id FROM saved_views WHERE id = ${id} AND (is_shared OR user_id = ${ctx.user.id})`);
  if (!view) throw fail('views.not_found', { id });
  if (view.user_id !== ctx.user.id && !ctx.can('settings.edit')) throw forbidden('settings.edit');
  return view;
}

const pageFields = ['page', 'per_page', 'cursor', 'limit'];

/** 422 unless it is a list that the caller may see. */
async function checkList(ctx: SystemCtx, list: string): Promise<void> {
  const actions = await ctx.system.actions.list(ctx);
  const isList = actions.some(({ name, input }) => name === list && Object.hasOwn(input.properties ?? {}, 'per_page'));
  if (!isList) throw invalid({ list: { code: 'unknown', message: `There is no list ${list} that you may see.` } });
}

/** Reads one record with the filters, so that the list itself checks them. */
async function checkFilters(ctx: SystemCtx, list: string, filters: object): Promise<void> {
  await checkList(ctx, list);
  const issues = new Issues();
  for (const field of pageFields) {
    if (field in filters) issues.add(`filters.${field}`, 'A view has no page.', 'unknown');
  }
  issues.throwIfAny();
  try {
    await ctx.system.actions.call(ctx, list, { ...structuredClone(filters), per_page: 1 });
  } catch (error) {
    const errors = Object.entries((error instanceof Failure && error.extras.errors) || {});
    if (errors.length === 0) throw error;
    for (const [field, [problem]] of errors) {
      if (problem) issues.add(`filters.${field}`, problem.message, problem.code);
    }
    issues.throwIfAny();
  }
}

async function refuseTakenName<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    if (violatedIndex(error) !== 'saved_views_by_name') throw error;
    throw invalid({ name: taken('You have a view with this name.') });
  }
}

const common = { tag: 'Saved views', needs: signedIn } as const;

export const savedViewActions = {
  'views.list': systemAction({
    ...common,
    summary: 'List the saved views of a list',
    description: 'Those of the team and your own.',
    http: 'GET /saved-views',
    graphql: 'savedViews',
    input: Type.Object({ list: List }),
    output: Type.Array(SavedView),
    answer: { key: 'saved_views' },
    run: listViews,
  }),
  'views.create': systemAction({
    ...common,
    summary: 'Save a view of a list',
    http: 'POST /saved-views',
    graphql: 'createSavedView',
    input: NewSavedView,
    output: SavedView,
    answer: { key: 'saved_view', message: 'View saved.', status: 201 },
    errors: ['views.too_many'],
    run: createView,
  }),
  'views.update': systemAction({
    ...common,
    summary: 'Change a saved view',
    description: 'One that you saved, or with `settings.edit` any of the team.',
    http: 'PATCH /saved-views/:id',
    graphql: 'updateSavedView',
    input: SavedViewChanges,
    output: SavedView,
    answer: { key: 'saved_view', message: 'View saved.' },
    errors: ['views.not_found', 'auth.forbidden'],
    run: updateView,
  }),
  'views.delete': systemAction({
    ...common,
    summary: 'Delete a saved view',
    description: 'One that you saved, or with `settings.edit` any of the team.',
    http: 'DELETE /saved-views/:id',
    graphql: 'deleteSavedView',
    input: ById,
    answer: { message: 'View deleted.' },
    errors: ['views.not_found', 'auth.forbidden'],
    run: deleteView,
  }),
};
