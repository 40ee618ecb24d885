const indexes = 'Builds an index on an older table; released before that was refused.';
const counters = 'Drops trigger functions that the same file replaces; released before there were rings.';

/** Migrations that are not additive and cannot be changed any more, with the SHA-256 of the file. */
export const acceptedMigrations: Readonly<Record<string, { readonly checksum: string; readonly reason: string }>> = {
  'conversations/0002_counters.sql': {
    checksum: '33c031111a67df12e3e723247f1de1898a6d0643be57cc1df458bf57a220175c',
    reason: counters,
  },
  'conversations/0006_inbox.sql': {
    checksum: '87c116cd40eb71c3a9a4878be0530a791e5410c453f08590d5d79b0e72bcf394',
    reason: indexes,
  },
  'conversations/0008_reads.sql': {
    checksum: '648c50e684d16ee6a789532b927d0762d42640fa0e53a69d16b60f26d9044930',
    reason: indexes,
  },
  'customers/0002_counters.sql': {
    checksum: '7d9089ef1a1e54f80df75b333ced4a6ee074b33acb5335f57ed6c9b0c140c60d',
    reason: counters,
  },
  'customers/0006_lookups.sql': {
    checksum: 'bec6fea61b0c77ef053e57a903c6313b560eb9a88a86ee2fee1b062b5bd6b916',
    reason: indexes,
  },
  'identity/0005_invitation_acceptance.sql': {
    checksum: '26ba27d1a391aca3536593295363d072efceab5d705371fd473e44be91a567e4',
    reason: indexes,
  },
  'kernel/0009_event_versions.sql': {
    checksum: '9c6199c476580c70b4776d28c1bbc4fea3c7758a5383336f748b43faeffc7003',
    reason: indexes,
  },
  'notifications/0003_rules.sql': {
    checksum: 'd8703d0563c0a0e9d38a0bab36a747df5dd6ca453e9b4c2f4aa8fac6a2f26ddd',
    reason: 'Adds a foreign key to a table that only this module writes; released before there were rings.',
  },
  'notifications/0006_counters.sql': {
    checksum: '8c40b921e3a880153da0f2ade0e85a47dc5765ab9514a0baf691287e1e6560a0',
    reason: counters,
  },
  'orders/0002_counters.sql': {
    checksum: '7dbaefd2884c82dc572dc0bb05c389e311a6c56535e267ab9c79981a133556fa',
    reason: counters,
  },
  'orders/0004_trade.sql': {
    checksum: 'c9d66b8b8ce83eade64f09e4e9c6a87b0d08e9cddce0aba9d22c874928237b5b',
    reason: 'Lifts the limit of digits of four amounts, which rewrites nothing and reads the same.',
  },
  'orders/0010_search_items.sql': {
    checksum: '3e729cc66bd3654e6d156d7190efee2103a73a5afbe1b2341323af31c2e52f83',
    reason: indexes,
  },
  'orders/0011_metadata.sql': {
    checksum: 'a6e66ba6c742895cd44502d1f13a55383e350a69240e9404d8fa5d5778e5619b',
    reason: indexes,
  },
  'payments/0002_checks.sql': {
    checksum: 'dd99efcba37ce9c0ff0f335915915738d7aa4bb72ac8f6d3b1420b9a285e4ce5',
    reason: indexes,
  },
  'products/0002_mandatory_products.sql': {
    checksum: '81c3a04873431dc24a5d95e71b61e5c9316b36ceb731cbbd72df29e48436f6d7',
    reason: indexes,
  },
  'products/0003_counters.sql': {
    checksum: 'af91820025c44f481f07c6c2c0243c0ae40291174b027c642da6e8932b7e45f6',
    reason: counters,
  },
  'products/0005_variants.sql': {
    checksum: '0673bf7241a7588d8fe9f25634b84b87d12146ecc4257b6042f23c1fdef5fa79',
    reason:
      'Lifts the limit of digits of two amounts, which rewrites nothing and reads the same, and drops a check that the statements of all versions make themselves.',
  },
  'products/0010_metadata.sql': {
    checksum: '305fdd1d76a9a95479c85ed8ca8e89e1c1afab7e7a4447a575ee3746f3813587',
    reason: indexes,
  },
};
