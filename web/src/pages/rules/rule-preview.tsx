import { ChowkError, type NewNotificationRule } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { useDebounced } from '../../state/debounced.ts';
import { Notice } from '../../ui/notice.tsx';

const pauseMs = 300;

/** The message with the latest order or made-up data, as the platform writes it. */
export function RulePreview({ input }: { readonly input: NewNotificationRule }) {
  const asked = useDebounced(JSON.stringify(input), pauseMs);
  const isEmpty = input.template.body === '';
  const { data, error } = useApi(
    keys.notifications.rulePreview(asked),
    (client) => client.notifications.previewRule(JSON.parse(asked)),
    !isEmpty,
  );
  const problems = error instanceof ChowkError ? Object.values(error.fields).flat() : [];
  return (
    <section aria-label="Preview" className="grid min-h-40 content-start gap-2 rounded-panel bg-sunken p-4">
      <h2 className="text-sm font-semibold">Preview</h2>
      {isEmpty ? (
        <p className="text-sm text-secondary">Write a text to see the message.</p>
      ) : error ? (
        <Notice tone="warning">{problems[0]?.message ?? errorMessage(error)}</Notice>
      ) : (
        data && (
          <>
            <div className="grid gap-2 rounded-control border border-line bg-surface p-3 text-sm">
              {data.preview.subject && <strong className="break-words">{data.preview.subject}</strong>}
              <p className="break-words whitespace-pre-line">{data.preview.body}</p>
            </div>
            <p className="text-xs text-secondary">
              {data.preview.source === 'latest_order' ? 'With your latest order' : 'With made-up data'}
              {data.preview.is_match ? '.' : ', which does not meet the conditions: it would not be sent.'}
            </p>
          </>
        )
      )}
    </section>
  );
}
