import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../server/testing/eventually.ts';
import { type Console, chromiumPath, heading, inspect, startConsole } from '../../../testing/console.ts';

describe.skipIf(!chromiumPath)('settings of opening hours and assignment', () => {
  let platform: Console;
  beforeAll(async () => {
    platform = await startConsole();
    return () => platform.close();
  });

  async function openShop() {
    const acme = await platform.tenant({ name: 'Lakshmi Stores' });
    const asha = await platform.person({ tenant: acme, name: 'Asha Rao' });
    const vikram = await platform.person({ tenant: acme, name: 'Vikram Singh' });
    const page = await platform.openAs(asha, acme, '/settings/inbox');
    await heading(page, 'Opening hours and assignment').waitFor();
    const expectSetting = (key: string, value: unknown) =>
      eventually(async () => expect((await asha.get('/api/v1/settings')).body.settings[key]).toEqual(value));
    return { acme, asha, vikram, page, expectSetting };
  }

  test('hours are entered by weekday, kept over a reload, saved, and restored by Undo', async () => {
    const { page, expectSetting } = await openShop();
    const hours = page.getByRole('form', { name: 'Opening hours' });
    const key = 'conversations.opening_hours';
    await hours.getByText('Without any hours you are always open').waitFor();
    await inspect(page, 'settings-inbox-empty');
    await hours.getByRole('button', { name: 'Add hours on Monday' }).click();
    await hours.getByLabel('Monday to').fill('13:00');
    await hours.getByRole('button', { name: 'Add hours on Tuesday' }).click();
    expect(await hours.getByLabel('Tuesday to').inputValue()).toBe('13:00');
    await hours.getByRole('button', { name: 'Add hours on Monday' }).click();
    await hours.getByLabel('Monday from').nth(1).fill('20:00');
    await hours.getByRole('button', { name: 'Save hours' }).click();
    await hours.getByText('Enter both times of Monday, or remove them.').waitFor();
    await page.reload();
    expect(await hours.getByLabel('Monday from').nth(1).inputValue()).toBe('20:00');
    await hours.getByLabel('Monday to').nth(1).fill('02:00');
    await hours.getByText('until the next day').waitFor();
    await inspect(page, 'settings-inbox-hours');
    await hours.getByRole('button', { name: 'Save hours' }).click();
    await page.getByText('Settings saved.').waitFor();
    await expectSetting(key, [
      { days: ['mon', 'tue'], from: '09:00', to: '13:00' },
      { days: ['mon'], from: '20:00', to: '02:00' },
    ]);
    await hours.getByRole('button', { name: 'Remove these hours on Tuesday' }).click();
    await hours.getByRole('button', { name: 'Discard changes' }).click();
    await hours.getByLabel('Tuesday from').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectSetting(key, []);
    await hours.getByText('Without any hours you are always open').waitFor();
  });

  test('holidays and the automatic answer are saved', async () => {
    const { page, expectSetting } = await openShop();
    const add = page.getByRole('form', { name: 'Add a holiday' });
    await add.getByRole('button', { name: 'Add' }).click();
    await add.getByText('Choose a date.').waitFor();
    for (const [date, month] of [
      ['2030-12-25', 'December'],
      ['2030-01-26', 'January'],
    ] as const) {
      await add.getByLabel('Add a holiday').fill(date);
      await add.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('list', { name: 'Holidays' }).getByText(month).waitFor();
    }
    await expectSetting('conversations.holidays', ['2030-01-26', '2030-12-25']);
    await page.getByRole('button', { name: /^Remove .*December/ }).click();
    await expectSetting('conversations.holidays', ['2030-01-26']);
    await page.getByLabel('Closed answer').fill('We are back at nine.');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await expectSetting('conversations.closed_answer', 'We are back at nine.');
  });

  test('conversations are assigned in turn or by rules, to those who are available', async () => {
    const { asha, vikram, page, expectSetting } = await openShop();
    await page.getByLabel('Assignment', { exact: true }).selectOption('round_robin');
    await page.getByRole('button', { name: 'Save', exact: true }).nth(1).click();
    await expectSetting('conversations.assignment', 'round_robin');

    const rules = page.getByRole('form', { name: 'Rules of assignment' });
    const rule = (number: number) => rules.getByRole('listitem', { name: `Rule ${number}` });
    await rules.getByRole('button', { name: 'Add a rule' }).click();
    await rule(1).getByLabel('Words').fill('refund, money back,');
    await rules.getByRole('button', { name: 'Save rules' }).click();
    await rules.getByText('Choose the member of rule 1, or remove it.').waitFor();
    await rule(1).getByLabel('Assigned to').selectOption('Vikram Singh');
    await rules.getByRole('button', { name: 'Add a rule' }).click();
    await rule(2).getByLabel('Channel').selectOption('WhatsApp');
    await rule(2).getByLabel('Assigned to').selectOption('Asha Rao');
    await rules.getByRole('button', { name: 'Move rule 2 up' }).click();
    await rules.getByRole('button', { name: 'Save rules' }).click();
    await expectSetting('conversations.assignment_rules', [
      { channel: 'whatsapp', assignee_id: asha.id },
      { words: ['refund', 'money back'], assignee_id: vikram.id },
    ]);

    const available = page.getByRole('checkbox', { name: 'Vikram Singh is available' });
    expect(await available.isChecked()).toBe(true);
    await available.click();
    await page.getByText('Vikram Singh is away.').waitFor();
    await eventually(async () => {
      const { agents } = (await asha.get('/api/v1/conversations/agents')).body;
      expect(agents).toContainEqual(
        expect.objectContaining({ user: expect.objectContaining({ id: vikram.id }), is_available: false }),
      );
    });
    await page.reload();
    await available.waitFor();
    expect(await available.isChecked()).toBe(false);
    await inspect(page, 'settings-inbox', 'complete');
  });

  test('those who may only view settings can change nothing', async () => {
    const { acme, asha } = await openShop();
    await asha.patch('/api/v1/settings', {
      'conversations.opening_hours': [{ days: ['mon'], from: '09:00', to: '18:00' }],
      'conversations.assignment_rules': [{ channel: 'sms', assignee_id: asha.id }],
    });
    const viewer = await platform.person({ tenant: acme, role: 'Viewer' });
    const page = await platform.openAs(viewer, acme, '/settings/inbox');
    await page.getByLabel('Monday from').waitFor();
    expect(await page.getByLabel('Monday from').isDisabled()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Asha Rao is available' }).isDisabled()).toBe(true);
    for (const name of [/^Save/, /^Add/, /^Remove/]) {
      expect(await page.getByRole('button', { name }).count(), String(name)).toBe(0);
    }
  });
});
