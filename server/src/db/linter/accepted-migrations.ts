const counters = 'Drops trigger functions that the same file replaces; released before there were rings.';

/** Migrations that are not additive and cannot be changed any more, with the SHA-256 of the file. */
export const acceptedMigrations: Readonly<Record<string, { readonly checksum: string; readonly reason: string }>> = {
  'conversations/0002_counters.sql': {
    checksum: '33c031111a67df12e3e723247f1de1898a6d0643be57cc1df458bf57a220175c',
    reason: counters,
  },
  'customers/0002_counters.sql': {
    checksum: '7d9089ef1a1e54f80df75b333ced4a6ee074b33acb5335f57ed6c9b0c140c60d',
    reason: counters,
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
  'products/0003_counters.sql': {
    checksum: 'af91820025c44f481f07c6c2c0243c0ae40291174b027c642da6e8932b7e45f6',
    reason: counters,
  },
  'products/0005_variants.sql': {
    checksum: '0673bf7241a7588d8fe9f25634b84b87d12146ecc4257b6042f23c1fdef5fa79',
    reason:
      'Lifts the limit of digits of two amounts, which rewrites nothing and reads the same, and drops a check that the statements of all versions make themselves.',
  },
};
