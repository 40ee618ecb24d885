import { type Db, sql } from '@chowk/kit/kernel';

/** What the platform keeps about requests, also refused ones. */
const aboutRequests = ['module_bus_audit_log', 'module_call_counts', 'request_log', 'sessions'];

/** The rows of all tables, by table, as text that can be compared. */
export async function readTables(db: Db): Promise<Record<string, string>> {
  const tables = await db.rows<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> ALL (${aboutRequests}::text[]) ORDER BY 1`);
  const contents: Record<string, string> = {};
  for (const { name } of tables) {
    const row = await db.row<{ rows: string }>(sql`
      SELECT query_to_xml(format('SELECT * FROM %I t ORDER BY t::text', ${name}::text), true, false, '')::text AS rows`);
    contents[name] = row?.rows ?? '';
  }
  return contents;
}
