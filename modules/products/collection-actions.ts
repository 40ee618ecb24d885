import { action, ById, Type } from '@chowk/kit';
import { Collection, CollectionChanges, NewCollection } from './collection-schemas.ts';
import {
  checkCollection,
  collectionList,
  collectionProducts,
  createCollection,
  deleteCollection,
  getCollection,
  updateCollection,
} from './collections.ts';
import { Slug } from './variant-schemas.ts';

const found = {
  output: Collection,
  answer: { key: 'collection' },
  errors: ['products.collection_not_found'],
  run: getCollection,
} as const;

export const collectionActions = {
  'products.listCollections': action({
    summary: 'List collections',
    http: 'GET /collections',
    graphql: 'collections',
    needs: 'products.view',
    ...collectionList.paged,
  }),
  'products.getCollectionBySlug': action({
    summary: 'Get a collection by its slug',
    graphql: 'collectionBySlug',
    needs: 'products.view',
    bus: { rateLimit: 6_000 },
    input: Type.Object({ slug: Slug }),
    ...found,
  }),
  'products.getCollection': action({
    summary: 'Get a collection',
    http: 'GET /collections/:id',
    graphql: 'collection',
    needs: 'products.view',
    input: ById,
    ...found,
  }),
  'products.listCollectionProducts': action({
    summary: 'List the products of a collection',
    description: 'In the order that was chosen; those of a rule by title.',
    http: 'GET /collections/:id/products',
    graphql: 'collectionProducts',
    needs: 'products.view',
    errors: ['products.collection_not_found'],
    ...collectionProducts,
  }),
  'products.createCollection': action({
    summary: 'Create a collection',
    description: 'Its products are chosen one by one, or are all that match a rule.',
    http: 'POST /collections',
    graphql: 'createCollection',
    needs: 'products.create',
    input: NewCollection,
    output: Collection,
    answer: { key: 'collection', message: 'Collection created.', status: 201 },
    check: checkCollection,
    run: createCollection,
  }),
  'products.updateCollection': action({
    summary: 'Update a collection',
    description: 'Fields that are not sent do not change; `products` replaces all.',
    http: 'PATCH /collections/:id',
    graphql: 'updateCollection',
    needs: 'products.edit',
    input: CollectionChanges,
    output: Collection,
    answer: { key: 'collection', message: 'Collection saved.' },
    errors: ['products.collection_not_found', 'http.precondition_failed'],
    check: checkCollection,
    run: updateCollection,
  }),
  'products.deleteCollection': action({
    summary: 'Delete a collection',
    description: 'Its products stay.',
    http: 'DELETE /collections/:id',
    graphql: 'deleteCollection',
    needs: 'products.delete',
    input: ById,
    answer: { message: 'Collection deleted.' },
    errors: ['products.collection_not_found', 'http.precondition_failed'],
    run: deleteCollection,
  }),
};
