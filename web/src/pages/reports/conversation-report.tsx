import type { ConversationFigures, ConversationFigureTotals } from '@chowk/client';
import { MessagesSquare } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { duration } from '../../time/duration.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { channels } from '../conversations/conversation-list.ts';
import { Figures } from './figures.tsx';
import { GroupChoice } from './group-choice.tsx';
import { usePeriod } from './period.tsx';
import { type Column, ReportTable } from './report-table.tsx';
import { useReportSearch } from './search.ts';

type Row = ConversationFigureTotals & { readonly key: string; readonly name: string };

/** How fast customers are answered, and whether messages reach them. */
export function ConversationReport() {
  const { search } = useReportSearch();
  const { from, to } = usePeriod().period;
  const { data, error } = useApi(keys.conversations.figures(from, to), (client) =>
    client.conversations.figures({ from, to }),
  );
  if (!data) return <Loading error={error} className="h-96" />;
  const { totals } = data;
  if (totals.answered + totals.resolved + totals.sent === 0) {
    return (
      <EmptyState icon={MessagesSquare} title="Nothing to report">
        No customer was answered on these days, and no conversation was closed.
      </EmptyState>
    );
  }
  const isByChannel = search.by === 'channel';
  return (
    <div className="grid min-w-0 gap-6">
      <Figures
        figures={[
          { label: 'First answer, median', text: duration(totals.first_answer_median_seconds) },
          { label: 'Resolution, median', text: duration(totals.resolution_median_seconds) },
          { label: 'Answered', text: count(totals.answered) },
          { label: 'Delivered', text: share(totals) },
        ]}
      />
      <div className="grid min-w-0 gap-4">
        <GroupChoice
          choices={[
            ['member', 'Members'],
            ['channel', 'Channels'],
          ]}
          value={isByChannel ? 'channel' : 'member'}
        />
        <ReportTable
          caption={isByChannel ? 'Conversations by channel' : 'Conversations by member'}
          columns={columnsFor(isByChannel ? 'Channel' : 'Member')}
          rows={isByChannel ? channelRows(data) : memberRows(data)}
          rowKey={({ key }) => key}
          total={{ key: '', name: 'Total', ...totals }}
        />
      </div>
    </div>
  );
}

function memberRows({ members }: ConversationFigures): readonly Row[] {
  return members.map((row) => ({ ...row, key: String(row.user_id), name: row.user?.name ?? 'Former member' }));
}

function channelRows({ channels: rows }: ConversationFigures): readonly Row[] {
  return rows.map((row) => ({ ...row, key: row.channel, name: channels[row.channel].label }));
}

function share({ delivered_share }: Pick<Row, 'delivered_share'>): string {
  return delivered_share === null ? '–' : `${Math.round(delivered_share * 100)} %`;
}

function columnsFor(name: string): readonly Column<Row>[] {
  return [
    { label: name, isText: true, show: (row) => row.name },
    { label: 'Answered', show: ({ answered }) => count(answered) },
    { label: 'First answer, median', show: (row) => duration(row.first_answer_median_seconds) },
    { label: 'Resolved', show: ({ resolved }) => count(resolved) },
    { label: 'Resolution, median', show: (row) => duration(row.resolution_median_seconds) },
    { label: 'Sent', show: ({ sent }) => count(sent) },
    { label: 'Delivered', show: share },
  ];
}
