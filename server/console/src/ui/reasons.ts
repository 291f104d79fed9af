import type { Explanation } from '@parley/react';
import type { AnyReason } from '@parley/sdk';

/** Explanations of the phone services' errors, by the reason. */
export const reasons: Partial<Record<AnyReason, Explanation>> = {
  regulatory_requirements: ['This country requires documents', '{message}'],
  recipient_opted_out: [
    'The recipient has opted out',
    'The recipient replied STOP to this number. You can write again after the recipient texts START to it. You were not charged.',
  ],
  unsupported_destination: [
    'This server does not send texts to this country',
    'Check the number and its country code. The operator of this server decides which countries it sends to (SMS_COUNTRIES). You were not charged.',
  ],
  no_pool_number: [
    'No shared number is available',
    'Buy a number of your own and send from it. You were not charged.',
  ],
  number_not_active: ['This number is not active', 'Renew it on the Numbers page, or choose another number.'],
  number_released: ['This number was released', 'It is no longer yours. Choose another number.'],
  number_unavailable: ['This number was just sold', 'Choose another number. You were not charged.'],
  unsupported_country: [
    'No such numbers are available',
    'The carrier has no numbers of this type in this country. Choose another country or type.',
  ],
  out_of_stock: [
    'This package is sold out',
    'Choose another package or a smaller quantity. You were not charged.',
  ],
  invalid_url: ['Invalid webhook address', 'Enter the complete address: https://, the host and the path.'],
  url_not_allowed: [
    'This address cannot be used as a webhook',
    'It must be a public https:// address, because events contain private messages. For development, the operator can allow addresses of the server itself (WEBHOOK_ALLOW_LOOPBACK).',
  ],
  quota_exceeded: [
    'No searches left in your plan',
    'Pay for this search with credits, or wait for the next month of your plan.',
  ],
  too_many_verifications: [
    'Too many attempts',
    'A number can get five codes in ten minutes, and each code allows five attempts. Wait a few minutes and send a new code.',
  ],
};
