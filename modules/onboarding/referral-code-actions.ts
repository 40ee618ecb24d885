import { ById, systemAction } from '@chowk/kit';
import {
  checkReferralCode,
  createReferralCode,
  deleteReferralCode,
  getReferralCode,
  referralCodeList,
  updateReferralCode,
} from './referral-codes.ts';
import { NewReferralCode, ReferralCode, ReferralCodeChanges } from './schemas.ts';

const common = { tag: 'Referral codes', needs: 'reseller.referral_codes.manage' } as const;
const errors = ['onboarding.referral_code_not_found'];

export const referralCodeActions = {
  'referralCodes.list': systemAction({
    ...common,
    summary: 'List referral codes',
    http: 'GET /admin/referral-codes',
    ...referralCodeList.paged,
  }),
  'referralCodes.create': systemAction({
    ...common,
    summary: 'Create a referral code',
    http: 'POST /admin/referral-codes',
    input: NewReferralCode,
    output: ReferralCode,
    answer: { key: 'referral_code', message: 'Referral code created.', status: 201 },
    check: checkReferralCode,
    run: createReferralCode,
  }),
  'referralCodes.get': systemAction({
    ...common,
    summary: 'Get a referral code',
    http: 'GET /admin/referral-codes/:id',
    input: ById,
    output: ReferralCode,
    answer: { key: 'referral_code' },
    errors,
    run: (ctx, key) => getReferralCode(ctx, key),
  }),
  'referralCodes.update': systemAction({
    ...common,
    summary: 'Update a referral code',
    description: 'Applications that exist already keep the rules that applied to them.',
    http: 'PATCH /admin/referral-codes/:id',
    input: ReferralCodeChanges,
    output: ReferralCode,
    answer: { key: 'referral_code', message: 'Referral code updated.' },
    errors,
    run: updateReferralCode,
  }),
  'referralCodes.delete': systemAction({
    ...common,
    summary: 'Delete a referral code',
    description: 'A code with applications cannot be deleted. Set `expires_at` to end it.',
    http: 'DELETE /admin/referral-codes/:id',
    input: ById,
    answer: { message: 'Referral code deleted.' },
    errors: [...errors, 'onboarding.referral_code_used'],
    run: deleteReferralCode,
  }),
};
