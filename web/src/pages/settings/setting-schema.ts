/** What a form needs to know of the JSON schema of a setting. */
export interface SettingSchema {
  readonly type?: 'boolean' | 'integer' | 'number' | 'string';
  readonly enum?: readonly string[];
  readonly maxLength?: number;
}

/** What their names do not tell apart. */
const labels: Readonly<Record<string, string>> = {
  'audit.retention_days': 'Days to keep changes',
  'events.retention_days': 'Days to keep events',
  'notifications.retention_days': 'Days to keep notifications',
  'notifications.message_retention_days': 'Days to keep messages',
};

/** `orders.number_prefix` is labelled `Number prefix`. */
export function settingLabel(key: string): string {
  const label = labels[key];
  if (label !== undefined) return label;
  const words = key
    .slice(key.indexOf('.') + 1)
    .replaceAll(/[._]/g, ' ')
    .replace('timezone', 'time zone')
    .replace(/^vip\b/, 'VIP')
    .replace(/\burl$/, 'URL');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The value of a setting, from the text of its field. What is not a number is sent as it is, and refused with a reason. */
export function settingValue({ type }: SettingSchema, text: string | undefined): unknown {
  if (type === 'boolean') return text !== undefined;
  const typed = (text ?? '').trim();
  const isNumber = (type === 'integer' || type === 'number') && typed !== '' && Number.isFinite(Number(typed));
  return isNumber ? Number(typed) : typed;
}

/** Whether a form has a control for the setting. Others, such as lists, have pages of their own. */
export function isSimple(schema: unknown): boolean {
  const { type, enum: options } = schema as SettingSchema;
  return options !== undefined || ['boolean', 'integer', 'number', 'string'].includes(type ?? '');
}
