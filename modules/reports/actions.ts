import { Answer, action } from '@chowk/kit';
import { checkPeriod } from './period.ts';
import { exportSales, reportSales } from './sales.ts';
import {
  SalesExport,
  SalesQuery,
  SalesReport,
  StockExport,
  StockQuery,
  StockReport,
  TaxExport,
  TaxQuery,
  TaxReport,
} from './schemas.ts';
import { exportStock, reportStock } from './stock.ts';
import { exportTaxes, reportTaxes } from './taxes.ts';

const counted =
  "An order counts on the day it was placed, in the tenant's time zone. Pending, cancelled and failed orders do not count.";
const exported = { file: Answer.fileTypes, audited: true };

export const actions = {
  'reports.sales': action({
    summary: 'Report sales by day, week, month, product, variant, segment or discount',
    description:
      `${counted} The revenue of a product or variant is that of its items: what belongs to whole orders, such as shipping, is not in it. ` +
      'Refunds are divided over the items in proportion. That of a discount is the revenue of the orders with it, and that of a segment ' +
      'belongs to the customers who are in it now; both may share orders.',
    http: 'GET /reports/sales',
    graphql: 'salesReport',
    needs: 'reports.view',
    input: SalesQuery,
    output: SalesReport,
    errors: ['reports.calculating'],
    check: checkPeriod,
    run: reportSales,
  }),
  'reports.exportSales': action({
    summary: 'Export the report of sales',
    http: 'GET /reports/sales/export',
    needs: 'reports.view',
    input: SalesExport,
    ...exported,
    errors: ['reports.calculating'],
    check: checkPeriod,
    run: exportSales,
  }),
  'reports.taxes': action({
    summary: 'Report taxes by name and rate',
    description: counted,
    http: 'GET /reports/taxes',
    graphql: 'taxReport',
    needs: 'reports.view',
    input: TaxQuery,
    output: TaxReport,
    errors: ['reports.calculating'],
    check: checkPeriod,
    run: reportTaxes,
  }),
  'reports.exportTaxes': action({
    summary: 'Export the report of taxes',
    http: 'GET /reports/taxes/export',
    needs: 'reports.view',
    input: TaxExport,
    ...exported,
    errors: ['reports.calculating'],
    check: checkPeriod,
    run: exportTaxes,
  }),
  'reports.stock': action({
    summary: 'Report the value of the stock',
    description: 'Units on hand times price; what the units have cost is not known.',
    http: 'GET /reports/stock',
    graphql: 'stockReport',
    needs: 'reports.view',
    input: StockQuery,
    output: StockReport,
    run: reportStock,
  }),
  'reports.exportStock': action({
    summary: 'Export the report of the stock',
    http: 'GET /reports/stock/export',
    needs: 'reports.view',
    input: StockExport,
    ...exported,
    run: exportStock,
  }),
};
