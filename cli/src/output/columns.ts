/** The columns of lists within a record, such as the items of an order. */
export const nestedColumns: Readonly<Record<string, readonly string[]>> = {
  items: ['name', 'sku', 'quantity', 'price', 'total'],
  variants: ['sku', 'title', 'price', 'stock', 'available', 'id'],
};

/**
 * The columns of lists, by the field of the response that has the records. The first ones are kept on a narrow terminal.
 * `name=first_name+last_name` is a column of two fields with a title of its own.
 */
export const columns: Readonly<Record<string, readonly string[]>> = {
  activity: ['at', 'action', 'user=user.name', 'subject=subject.name', 'ip'],
  addresses: ['id', 'type', 'is_default', 'first_name', 'address1', 'city', 'pincode', 'country'],
  api_clients: ['id', 'name', 'scopes', 'last_used_at', 'created_at'],
  applications: ['id', 'business_name', 'status', 'kyc_status', 'email', 'created_at'],
  audit: ['at', 'action', 'outcome', 'resource', 'resource_id', 'user_id', 'transport'],
  conversations: [
    'id',
    'status',
    'channel',
    'subject',
    'customer=customer.first_name+customer.last_name',
    'last_message_at',
    'assignee=assignee.name',
  ],
  customers: [
    'id',
    'name=first_name+last_name',
    'orders=total_orders',
    'spent=total_spent',
    'email',
    'phone',
    'tags',
    'created_at',
  ],
  deliveries: ['id', 'status', 'event', 'channel', 'created_at', 'attempts', 'error', 'reason'],
  collections: ['slug', 'title', 'updated_at', 'id'],
  devices: ['id', 'platform', 'created_at'],
  discounts: ['code', 'kind', 'value', 'is_active', 'uses', 'usage_limit', 'ends_at', 'id'],
  domains: ['domain', 'kind', 'created_at'],
  invitations: ['id', 'email', 'role', 'expires_at', 'created_at'],
  messages: ['sent_at', 'direction', 'user=user.name', 'body'],
  movements: ['at', 'change', 'reason', 'reference', 'user_id'],
  notifications: ['id', 'severity', 'title', 'created_at', 'body', 'read_at'],
  orders: [
    'number=order_number',
    'status',
    'total',
    'placed_at',
    'customer=customer.first_name+customer.last_name',
    'id',
  ],
  permissions: ['name', 'category', 'description', 'is_sensitive'],
  persisted_queries: ['hash', 'name', 'uses', 'last_used_at'],
  products: ['sku', 'title', 'status', 'price', 'stock', 'available', 'updated_at', 'id'],
  referral_codes: ['id', 'code', 'tenant_role', 'uses', 'max_uses', 'expires_at'],
  roles: ['id', 'name', 'members', 'description'],
  rules: ['id', 'name', 'event', 'channel', 'is_active'],
  rings: ['name', 'display_name', 'promotion_order', 'is_default', 'is_active', 'description'],
  sessions: ['id', 'name', 'ip', 'last_used_at', 'current'],
  shipping_rates: ['name', 'price', 'is_active', 'zone_id', 'id'],
  tax_rates: ['name', 'country', 'state', 'rate', 'tax_class', 'is_active', 'id'],
  team: ['id', 'name', 'email', 'role', 'last_active_at'],
  tenants: ['id', 'name', 'role', 'status', 'created_at'],
  tokens: ['id', 'name', 'scopes', 'last_used_at', 'expires_at'],
  unregistered_operations: ['hash', 'operation_name', 'uses', 'last_seen_at'],
  variants: ['sku', 'title', 'price', 'stock', 'reserved', 'available', 'product_id', 'id'],
  webhooks: ['id', 'url', 'is_active', 'events', 'created_at'],
};
