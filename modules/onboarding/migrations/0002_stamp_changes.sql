-- Followers of the lists miss no change.
SELECT stamp_changes('referral_codes');
SELECT stamp_changes('reseller_applications');
