import {
  byText,
  byTime,
  equals,
  filter,
  Line,
  list,
  NamedObject,
  type SystemCtx,
  sql,
  systemAction,
  Timestamp,
  Type,
} from '@chowk/kit';

const ResellerTenant = NamedObject('ResellerTenant', {
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['platform_owner', 'reseller', 'merchant']),
  status: Type.Enum(['creating', 'importing', 'active', 'suspended', 'deleting']),
  domains: Type.Array(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** A reseller sees the tenants that were created with its codes, the owner of the platform all of them. */
const visibleTenants = ({ tenant }: SystemCtx) =>
  tenant.role === 'platform_owner'
    ? sql`tenants t`
    : sql`(SELECT t.* FROM tenants t JOIN reseller_applications a ON a.tenant_id = t.id
        WHERE a.parent_tenant_id = ${tenant.id} AND a.status = 'completed') t`;

const tenantList = list({
  name: 'tenants',
  row: ResellerTenant,
  database: (ctx: SystemCtx) => ctx.central,
  from: visibleTenants,
  alias: sql`t`,
  idType: 'text',
  columns: sql`t.id, t.name, t.role, t.status, t.created_at, t.updated_at,
    ARRAY(SELECT d.domain FROM domains d WHERE d.tenant_id = t.id ORDER BY d.kind, d.domain) AS domains`,
  filters: {
    status: equals(ResellerTenant.properties.status, sql`t.status`),
    role: equals(ResellerTenant.properties.role, sql`t.role`),
    search: filter(
      Line(100, { description: 'A part of the name or the id.' }),
      (text) => sql`strpos(lower(t.name || ' ' || t.id), lower(${text})) > 0`,
    ),
  },
  sorts: { created_at: byTime(sql`t.created_at`), name: byText(sql`lower(t.name)`) },
});

export const tenantActions = {
  'onboarding.listTenants': systemAction({
    tag: 'Reseller applications',
    summary: 'List the tenants of a reseller',
    description: 'The tenants that were created with its codes. The owner of the platform sees all of them.',
    http: 'GET /admin/tenants',
    needs: 'reseller.tenants.view',
    ...tenantList.paged,
  }),
};
