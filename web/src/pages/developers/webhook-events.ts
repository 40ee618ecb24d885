/** The fields of a form: `event.order.created`. */
export const eventPrefix = 'event.';

interface Event {
  readonly name: string;
  readonly summary: string;
}

interface EventGroup {
  readonly title: string;
  /** All events of the group. */
  readonly pattern: string;
  readonly events: readonly Event[];
}

/** By what they are about. What a webhook gets and the platform does not list is offered too, so that it is not lost. */
export function groupEvents(events: readonly Event[], chosen: readonly string[]): readonly EventGroup[] {
  const known = new Set(events.map(({ name }) => name));
  const others = chosen
    .filter((name) => name !== '*' && !name.endsWith('.*') && !known.has(name))
    .map((name) => ({ name, summary: 'Not sent by this platform' }));
  const groups = Map.groupBy([...events, ...others], ({ name }) => name.split('.')[0] ?? name);
  for (const pattern of chosen.filter((name) => name.endsWith('.*'))) {
    const subject = pattern.slice(0, -2);
    if (!groups.has(subject)) groups.set(subject, []);
  }
  return [...groups].map(([subject, all]) => ({ title: toTitle(subject), pattern: `${subject}.*`, events: all }));
}

function toTitle(subject: string): string {
  const text = subject.replaceAll(/[_-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Those of the fields that are checked, without those that a pattern includes. */
export function chosenEvents(fields: readonly string[]): string[] {
  const names = fields.flatMap((field) => (field.startsWith(eventPrefix) ? [field.slice(eventPrefix.length)] : []));
  if (names.includes('*')) return ['*'];
  const patterns = names.filter((name) => name.endsWith('.*')).map((name) => name.slice(0, -1));
  return names.filter((name) => name.endsWith('.*') || !patterns.some((start) => name.startsWith(start)));
}
