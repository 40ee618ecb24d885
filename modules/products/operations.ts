import { operation, Type } from '@chowk/kit';
import { copyMandatory, listMandatory, MandatoryProduct } from './mandatory.ts';

export const operations = {
  'products.listMandatory': operation({
    summary: 'List the products that tenants of this reseller must have',
    input: Type.Object({}),
    output: Type.Array(MandatoryProduct),
    run: listMandatory,
  }),
  'products.copyMandatory': operation({
    summary: 'Copy the mandatory products of a reseller, or their changes',
    input: Type.Object({ products: Type.Array(MandatoryProduct) }),
    run: copyMandatory,
  }),
};
