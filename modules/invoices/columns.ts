import { columnsFor, raw, sql } from '@chowk/kit';
import { Invoice, InvoiceContent, InvoiceDetails } from './schemas.ts';

export const listedColumns = columnsFor(Invoice, sql`i`);

const content = Object.keys(InvoiceContent.properties).map((name) => [name, raw(`i.content->'${name}'`)]);

/** An invoice from a row of `invoices i`. */
export const columns = columnsFor(InvoiceDetails, sql`i`, Object.fromEntries(content));
