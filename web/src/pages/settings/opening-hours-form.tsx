import { Plus, X } from 'lucide-react';
import { useCan } from '../../api/use-api.ts';
import { IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { DraftButtons } from './draft-buttons.tsx';
import {
  fromWeek,
  incompleteDays,
  nextSpan,
  type OpeningHours,
  type Span,
  toWeek,
  type Week,
  type Weekday,
  weekdays,
} from './opening-hours.ts';
import { useSettingDraft } from './setting-draft.ts';
import type { SettingValues } from './use-settings.ts';

const key = 'conversations.opening_hours';

function toSetting(week: Week): OpeningHours {
  const [day] = incompleteDays(week);
  if (day !== undefined) throw new Error(`Enter both times of ${day}, or remove them.`);
  return fromWeek(week);
}

/** When the team answers, by weekday. */
export function OpeningHoursForm({ values }: { readonly values: SettingValues }) {
  const canEdit = useCan()('settings.edit');
  const saved = toWeek((values[key] ?? []) as OpeningHours);
  const { value: week, onChange, isChanged, discard, form } = useSettingDraft({ key, values, saved, toSetting });
  const isAlwaysOpen = weekdays.every(([day]) => week[day].length === 0);
  return (
    <form {...form.props} aria-label="Opening hours" className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <fieldset disabled={!canEdit} className="contents">
        <ul className="border-t border-line">
          {weekdays.map(([day, name]) => (
            <Day
              key={day}
              name={name}
              spans={week[day]}
              closedText={isAlwaysOpen ? 'No hours' : 'Closed'}
              canEdit={canEdit}
              onAdd={() => onChange(withDay(week, day, [...week[day], nextSpan(week, day)]))}
              onChange={(spans) => onChange(withDay(week, day, spans))}
            />
          ))}
        </ul>
      </fieldset>
      {isAlwaysOpen && (
        <p className="text-sm text-secondary">Without any hours you are always open, also on holidays.</p>
      )}
      {canEdit && <DraftButtons label="Save hours" isChanged={isChanged} isBusy={form.isBusy} onDiscard={discard} />}
    </form>
  );
}

function withDay(week: Week, day: Weekday, spans: readonly Span[]): Week {
  return { ...week, [day]: spans };
}

interface DayProps {
  readonly name: string;
  readonly spans: readonly Span[];
  readonly closedText: string;
  readonly canEdit: boolean;
  readonly onAdd: () => void;
  readonly onChange: (spans: readonly Span[]) => void;
}

function Day({ name, spans, closedText, canEdit, onAdd, onChange }: DayProps) {
  const isClosed = spans.length === 0;
  return (
    <li className="grid grid-cols-[6rem_minmax(0,1fr)_auto] items-start gap-x-2 border-b border-line py-1.5">
      <span className="flex h-9 items-center font-medium max-md:h-11">{name}</span>
      {/* On a phone, the hours are below the day. */}
      <div className={`grid gap-1.5 ${isClosed ? '' : 'max-sm:order-last max-sm:col-span-3'}`}>
        {isClosed && <span className="flex h-9 items-center text-secondary max-md:h-11">{closedText}</span>}
        {spans.map((span, index) => (
          <SpanFields
            // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity of their own
            key={index}
            name={name}
            span={span}
            canEdit={canEdit}
            onChange={(next) => onChange(spans.with(index, next))}
            onRemove={() => onChange(spans.toSpliced(index, 1))}
          />
        ))}
      </div>
      {canEdit && (
        <IconButton label={`Add hours on ${name}`} onClick={onAdd} className="col-start-3">
          <Icon icon={Plus} />
        </IconButton>
      )}
    </li>
  );
}

interface SpanFieldsProps {
  readonly name: string;
  readonly span: Span;
  readonly canEdit: boolean;
  readonly onChange: (span: Span) => void;
  readonly onRemove: () => void;
}

function SpanFields({ name, span, canEdit, onChange, onRemove }: SpanFieldsProps) {
  const { from, to } = span;
  const endsNextDay = from !== '' && to !== '' && to !== '00:00' && to <= from;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Input
        type="time"
        aria-label={`${name} from`}
        value={from}
        onChange={({ target }) => onChange({ ...span, from: target.value })}
        className="numeric w-0! flex-1 px-2!"
      />
      <span aria-hidden>–</span>
      <Input
        type="time"
        aria-label={`${name} to`}
        value={to}
        onChange={({ target }) => onChange({ ...span, to: target.value })}
        className="numeric w-0! flex-1 px-2!"
      />
      {canEdit && (
        <IconButton label={`Remove these hours on ${name}`} onClick={onRemove}>
          <Icon icon={X} />
        </IconButton>
      )}
      {endsNextDay && <span className="text-xs basis-full text-secondary">until the next day</span>}
    </div>
  );
}
