import { type HelpersOf, helper, Type } from '@chowk/kit';
import { copyMandatory, listMandatory, MandatoryProduct } from './mandatory.ts';

export const helpers = {
  listMandatory: helper({
    summary: 'List the products that tenants of this reseller must have',
    input: Type.Object({}),
    run: listMandatory,
  }),
  copyMandatory: helper({
    summary: 'Copy the mandatory products of a reseller, or their changes',
    input: Type.Object({ products: Type.Array(MandatoryProduct) }),
    run: copyMandatory,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    products: HelpersOf<typeof helpers>;
  }
}
