import { operation, Type, Uuid } from '@chowk/kit';
import { findMemberships, MembershipQuery, Memberships } from './collection-rules.ts';
import { copyMandatory, listMandatory, MandatoryProduct } from './mandatory.ts';
import {
  commitForOrder,
  LineKeys,
  OrderRelease,
  OrderReservation,
  OrderUnits,
  ResolvedLines,
  releaseForOrder,
  reserveForOrder,
  resolveLines,
  returnForOrder,
  uncommitForOrder,
} from './order-stock.ts';
import { listTitles, reportStock, StockQuery, StockReport } from './stock-report.ts';

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
  'products.resolveLines': operation({
    summary: 'Find the variants of lines',
    description: 'For each line the variant with its id, else with its SKU; null if there is none.',
    input: LineKeys,
    output: ResolvedLines,
    run: resolveLines,
  }),
  'products.findMemberships': operation({
    summary: 'Find which of some collections products are in',
    description: 'Rules are evaluated now. Products that do not exist are left out.',
    input: MembershipQuery,
    output: Memberships,
    run: findMemberships,
  }),
  'products.reserveForOrder': operation({
    summary: 'Reserve the units of the lines of an order',
    description:
      'All lines, or none: with too few units it fails and names each short SKU in `short`. Afterwards exactly the named lines ' +
      'are reserved, so it also serves for changes of an order, and calling it again changes nothing.',
    atomic: true,
    input: OrderReservation,
    run: reserveForOrder,
  }),
  'products.commitForOrder': operation({
    summary: 'Remove shipped units of an order from the stock',
    description: '`quantity` is the number of units of the line that have been shipped in all.',
    atomic: true,
    input: OrderUnits,
    run: commitForOrder,
  }),
  'products.releaseForOrder': operation({
    summary: 'Release the units of an order that have not been shipped',
    description: 'Releases all lines, or only the named ones.',
    atomic: true,
    input: OrderRelease,
    run: releaseForOrder,
  }),
  'products.returnForOrder': operation({
    summary: 'Return units of an order that are not kept',
    description:
      '`quantity` is the number of units of the line that the order keeps. The others are released, or return to the stock if ' +
      'they have been shipped.',
    atomic: true,
    input: OrderUnits,
    run: returnForOrder,
  }),
  'products.uncommitForOrder': operation({
    summary: 'Reserve shipped units of an order again that did not leave after all',
    description:
      '`quantity` is the number of units of the line that remain shipped. The others return to the location, or to the default ' +
      'one if it does not exist any more.',
    atomic: true,
    input: OrderUnits,
    run: uncommitForOrder,
  }),
  'products.reportStock': operation({
    summary: 'List variants with the value of their stock, and the sums of all',
    input: StockQuery,
    output: StockReport,
    run: reportStock,
  }),
  'products.listTitles': operation({
    summary: 'List the titles of products by id, deleted ones included',
    input: Type.Object({ ids: Type.Array(Uuid) }),
    output: Type.Array(Type.Object({ id: Uuid, title: Type.String() })),
    run: listTitles,
  }),
};
