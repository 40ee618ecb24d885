import { Readable } from 'node:stream';
import { Answer, type SystemCtx } from '@chowk/kit';
import { type Entry, type Filters, streamActivity } from './activity-log.ts';

/** Enough text that a piece is worth sending on its own. */
const pieceLength = 32_768;

const columns: Readonly<Record<string, (entry: Entry) => string>> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  action: ({ action }) => action,
  user_id: ({ user }) => String(user?.id ?? ''),
  user_name: ({ user }) => user?.name ?? '',
  subject_id: ({ subject }) => String(subject?.id ?? ''),
  subject_name: ({ subject }) => subject?.name ?? '',
  details: ({ details }) => JSON.stringify(details),
  ip: ({ ip }) => ip ?? '',
  user_agent: ({ user_agent }) => user_agent ?? '',
};

/** Every entry that the filters find, in memory only a few at a time. */
export function exportActivity(ctx: SystemCtx, filters: Filters): Answer {
  const name = `activity-${ctx.now().toISOString().slice(0, 10)}.csv`;
  return new Answer(Readable.from(pieces(streamActivity(ctx, filters))), {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}"`,
    },
  });
}

async function* pieces(entries: AsyncIterable<Entry>): AsyncGenerator<string> {
  const writers = Object.values(columns);
  let piece = csvLine(Object.keys(columns));
  for await (const entry of entries) {
    piece += csvLine(writers.map((write) => write(entry)));
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Names and user agents are strangers' text: an apostrophe keeps a spreadsheet from running it as a formula. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
