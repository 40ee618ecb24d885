import { type SystemCtx, sql } from '@chowk/kit';

export const notifications = {
  'application.submitted': {
    description: 'A business has applied for an organization',
    needs: 'reseller.applications.view',
    defaultFor: 'reseller.applications.review',
    several: { title: '{count} new applications', action_url: '/applications?status=pending' },
  },
};

interface Submitted {
  readonly id: string;
  readonly business_name: string;
}

/** The members of the reseller whose code was used. The application is stored, whether or not this succeeds. */
export async function notifyReviewers(ctx: SystemCtx, { id, business_name }: Submitted): Promise<void> {
  try {
    const row = await ctx.central.row<{ parent: string }>(sql`
      SELECT parent_tenant_id AS parent FROM reseller_applications WHERE id = ${id}`);
    if (!row) return;
    await ctx.inTenant(row.parent, 'onboarding.notifyReviewers', (parent) =>
      parent.notify('members', {
        type: 'application.submitted',
        title: `Application of ${business_name}`.slice(0, 255).toWellFormed(),
        icon: 'Users',
        action_url: `/applications/${id}`,
        action_label: 'Open the application',
        data: { application_id: id },
        group_key: 'application.submitted',
      }),
    );
  } catch (error) {
    ctx.log.warn({ err: error, application: id }, 'could not notify the reviewers of an application');
  }
}
