import { action, Type } from '@chowk/kit';
import { PreferenceChanges, Preferences } from './preference-schemas.ts';
import { getPreferences, updatePreferences } from './preferences.ts';

const needs = 'notifications.view';

export const preferenceActions = {
  'notifications.getPreferences': action({
    summary: 'Get your notification preferences',
    description: 'Lists all types of notifications with the channels that apply.',
    http: 'GET /notifications/preferences',
    graphql: 'notificationPreferences',
    needs,
    input: Type.Object({}),
    output: Preferences,
    answer: { key: 'preferences' },
    run: getPreferences,
  }),
  'notifications.updatePreferences': action({
    summary: 'Change your notification preferences',
    description: 'Fields that are not sent do not change. They apply in this tenant.',
    http: 'PATCH /notifications/preferences',
    example: { quiet_hours: { from: '22:00', to: '07:00' }, time_zone: 'Asia/Kolkata' },
    graphql: 'updateNotificationPreferences',
    needs,
    input: PreferenceChanges,
    output: Preferences,
    answer: { key: 'preferences', message: 'Preferences saved.' },
    run: updatePreferences,
  }),
};
