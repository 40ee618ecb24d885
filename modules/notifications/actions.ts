import { action, ById, Type } from '@chowk/kit';
import { countUnread } from './counts.ts';
import { deviceActions } from './devices/device-actions.ts';
import { notificationList } from './list.ts';
import { callbackActions } from './messages/callbacks/callback-actions.ts';
import { sendEmail, sendInApp, sendText } from './messages/channels.ts';
import { providerActions } from './messages/providers/actions.ts';
import { unsubscribeActions } from './messages/unsubscribe.ts';
import { deleteNotification, markAllAsRead, markAsRead } from './notifications.ts';
import { preferenceActions } from './preferences/preference-actions.ts';
import { ruleActions } from './rules/rule-actions.ts';
import {
  ChannelMessage,
  EmailMessage,
  InAppMessage,
  InAppResult,
  MarkedAsRead,
  MessageResult,
  Notification,
  UnreadCount,
} from './schemas.ts';

const needs = 'notifications.view';

export const actions = {
  'notifications.list': action({
    summary: 'List your notifications',
    description: 'Newest first.',
    http: 'GET /notifications',
    graphql: 'notifications',
    needs,
    ...notificationList.paged,
  }),
  'notifications.countUnread': action({
    summary: 'Count your unread notifications',
    http: 'GET /notifications/unread-count',
    graphql: 'unreadNotificationCount',
    needs,
    input: Type.Object({}),
    output: UnreadCount,
    run: countUnread,
  }),
  'notifications.markRead': action({
    summary: 'Mark one of your notifications as read',
    http: 'PATCH /notifications/:id/read',
    graphql: 'markNotificationAsRead',
    needs,
    input: ById,
    output: Notification,
    answer: { key: 'notification', message: 'Notification marked as read.' },
    run: markAsRead,
  }),
  'notifications.markAllRead': action({
    summary: 'Mark all your notifications as read',
    http: 'POST /notifications/mark-all-read',
    graphql: 'markAllNotificationsAsRead',
    needs,
    input: Type.Object({}),
    output: MarkedAsRead,
    answer: { message: 'All notifications marked as read.' },
    run: markAllAsRead,
  }),
  'notifications.delete': action({
    summary: 'Delete one of your notifications',
    http: 'DELETE /notifications/:id',
    graphql: 'deleteNotification',
    needs,
    input: ById,
    answer: { message: 'Notification deleted.' },
    run: deleteNotification,
  }),
  ...preferenceActions,
  ...deviceActions,
  'notifications.sendInApp': action({
    summary: 'Notify a member of the team',
    needs: 'notifications.send',
    bus: { rateLimit: 1_200 },
    input: InAppMessage,
    output: InAppResult,
    run: sendInApp,
  }),
  'notifications.sendEmail': action({
    summary: 'Send an email to a customer',
    description: 'Sent in the name of the organization, through the mail queue.',
    needs: 'notifications.send',
    bus: { rateLimit: 600 },
    input: EmailMessage,
    output: MessageResult,
    run: sendEmail,
  }),
  'notifications.send': action({
    summary: 'Send a text message to a phone',
    description: 'Through the provider that the tenant has chosen for the channel.',
    needs: 'notifications.send',
    bus: { rateLimit: 600 },
    input: ChannelMessage,
    output: MessageResult,
    run: sendText,
  }),
  ...ruleActions,
  ...providerActions,
  ...callbackActions,
  ...unsubscribeActions,
};
