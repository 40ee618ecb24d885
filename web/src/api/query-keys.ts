/* The keys of everything that is read from the platform. A key stands for itself and for all keys that begin with it. */

declare const brand: unique symbol;

/** Without the tenant, which `useApi` adds. */
export type Key = readonly unknown[] & { readonly [brand]: true };

const key = (...parts: readonly unknown[]) => parts as unknown as Key;

export const keys = {
  me: key('me'),
  permissions: key('permissions'),
  devices: key('devices'),
  palette: (text: string) => key('palette', text),
  profile: {
    details: key('profile', 'details'),
    sessions: key('profile', 'sessions'),
    tokens: key('profile', 'tokens'),
    activity: key('profile', 'activity'),
    activityPage: (page: number) => key('profile', 'activity', page),
  },
  team: {
    names: key('team', 'names'),
    total: key('team', 'total'),
    invitations: key('team', 'invitations'),
    roles: key('team', 'roles'),
  },
  notifications: {
    all: key('notifications'),
    inbox: key('notifications', 'inbox'),
    lists: key('notifications', 'list'),
    list: (search: object) => key('notifications', 'list', search),
    preferences: key('notifications', 'preferences'),
    presets: key('notifications', 'presets'),
    providers: key('notifications', 'providers'),
    ruleEvents: key('notifications', 'rule-events'),
    rulePreview: (rule: string) => key('notifications', 'rule-preview', rule),
  },
  orders: {
    all: key('orders'),
    lists: key('orders', 'list'),
    list: (search: object) => key('orders', 'list', search),
    /** Counts, statistics, the latest orders and the latest activity. */
    summaries: key('orders', 'summary'),
    counts: key('orders', 'summary', 'counts'),
    statistics: (days: number) => key('orders', 'summary', 'statistics', days),
    latest: key('orders', 'summary', 'latest'),
    activity: key('orders', 'summary', 'activity'),
    details: key('orders', 'detail'),
    detail: (id: string | undefined) => key('orders', 'detail', id),
    audit: (id: string) => key('orders', 'detail', id, 'audit'),
    links: (id: string) => key('orders', 'detail', id, 'links'),
    invoices: (id: string) => key('orders', 'detail', id, 'invoices'),
    preview: (order: string) => key('orders', 'preview', order),
    /** The price of an order with other items. */
    changesPreview: (id: string, items: string) => key('orders', 'preview', id, items),
    drafts: key('orders', 'drafts'),
    draftCount: key('orders', 'drafts', 'count'),
    draftList: (search: object) => key('orders', 'drafts', 'list', search),
    draft: (id: string) => key('orders', 'drafts', 'detail', id),
  },
  customers: {
    all: key('customers'),
    lists: key('customers', 'list'),
    list: (search: object) => key('customers', 'list', search),
    search: (text: string) => key('customers', 'search', text),
    tags: key('customers', 'tags'),
    /** The segments, the total and the VIPs at risk. */
    summaries: key('customers', 'summary'),
    segments: key('customers', 'summary', 'segments'),
    total: key('customers', 'summary', 'total'),
    vipsAtRisk: key('customers', 'summary', 'vips-at-risk'),
    details: key('customers', 'detail'),
    detail: (id: string | undefined) => key('customers', 'detail', id),
    orders: (id: string, size: number) => key('customers', 'detail', id, 'orders', size),
    conversations: (id: string, size?: number) => key('customers', 'detail', id, 'conversations', size),
    changes: (id: string, size: number) => key('customers', 'detail', id, 'changes', size),
    data: (id: string) => key('customers', 'detail', id, 'data'),
    mergePreview: (pair: object) => key('customers', 'merge', pair),
  },
  products: {
    all: key('products'),
    lists: key('products', 'list'),
    list: (search: object) => key('products', 'list', search),
    search: (text: string) => key('products', 'search', text),
    categories: key('products', 'categories'),
    total: key('products', 'total'),
    runningOut: key('products', 'running-out'),
    detail: (id: string) => key('products', 'detail', id),
    movements: (id: string, size: number) => key('products', 'detail', id, 'movements', size),
    locations: key('products', 'locations'),
    allLevels: key('products', 'levels'),
    levels: (variantId: string) => key('products', 'levels', variantId),
    threshold: key('products', 'threshold'),
  },
  collections: {
    all: key('collections'),
    list: (search: object) => key('collections', 'list', search),
    detail: (id: string) => key('collections', 'detail', id),
    products: (id: string) => key('collections', 'detail', id, 'products'),
    preview: (rule: object) => key('collections', 'preview', rule),
  },
  reports: {
    all: key('reports'),
    sales: (input: object) => key('reports', 'sales', input),
    taxes: (input: object) => key('reports', 'taxes', input),
    stock: (input: object) => key('reports', 'stock', input),
  },
  payments: {
    providers: key('payments', 'providers'),
  },
  settings: {
    values: key('settings', 'values'),
    definitions: key('settings', 'definitions'),
    organization: key('settings', 'organization'),
  },
  pricing: {
    states: key('pricing', 'states'),
    taxRates: key('pricing', 'tax-rates'),
    taxPresets: key('pricing', 'tax-presets'),
    taxExemption: (customerId: string) => key('pricing', 'tax-exemption', customerId),
    shippingZones: key('pricing', 'shipping', 'zones'),
    shippingRates: key('pricing', 'shipping', 'rates'),
    /** The zones, the rates, and what is offered for a parcel. */
    shipping: key('pricing', 'shipping'),
    shippingOffers: (parcel: object) => key('pricing', 'shipping', 'offers', parcel),
  },
  invoices: {
    logo: key('invoices', 'logo'),
    last: key('invoices', 'last'),
  },
  discounts: {
    all: key('discounts'),
    lists: key('discounts', 'list'),
    list: (search: object) => key('discounts', 'list', search),
    detail: (id: string) => key('discounts', 'detail', id),
    targets: (kind: string, ids: readonly string[]) => key('discounts', 'targets', kind, ids),
    targetSearch: (kind: string, text: string) => key('discounts', 'target-search', kind, text),
  },
  conversations: {
    all: key('conversations'),
    lists: key('conversations', 'list'),
    list: (filters: object) => key('conversations', 'list', filters),
    cannedReplies: key('canned-replies'),
    /** How many there are, by status and by view. */
    summaries: key('conversations', 'summary'),
    counts: key('conversations', 'summary', 'counts'),
    total: (view: string, userId: number) => key('conversations', 'summary', 'total', view, userId),
    byCustomer: (customerId: string) => key('conversations', 'customer', customerId),
    byCustomers: key('conversations', 'customer'),
    detail: (id: string) => key('conversations', 'detail', id),
    messages: (id: string) => key('conversations', 'detail', id, 'messages'),
  },
};
