import type { ParleyError } from '@parley/sdk';

type Said = readonly [title: string, advice: string];

/** Refusals by the name the HTTP API gives them, where it says more than the code of the SDK. */
const reasons: Record<string, Said> = {
  recipient_opted_out: [
    'They want no texts from this number',
    'They answered STOP, and carriers take that seriously. Once they text START to it, you can write to them again. Nothing was charged.',
  ],
  unsupported_destination: [
    'This server sends no texts there',
    'Check the number and its country code. Whoever runs the server decides which countries it sends to (SMS_COUNTRIES). Nothing was charged.',
  ],
  no_pool_number: [
    'The pool has no number for this',
    'Buy a number of your own and send from it. Nothing was charged.',
  ],
  number_not_active: ['This number is not active', 'Renew it on the page of numbers, or choose another one.'],
  number_released: ['This number was given back', 'It is no longer yours: choose another one.'],
  number_unavailable: [
    'Somebody else was faster',
    'This number is no longer to be had. Choose another one. Nothing was charged.',
  ],
  unsupported_country: [
    'There are no such numbers here',
    'This server’s carrier sells none of this kind in this country. Choose another country or type.',
  ],
  out_of_stock: ['This package is sold out', 'Choose another one, or fewer of it. Nothing was charged.'],
  invalid_url: [
    'That is no address for a webhook',
    'Write it whole: https://, then the host, then the path.',
  ],
  url_not_allowed: [
    'This address can’t be a webhook',
    'It has to be https:// and on the internet: events hold what people write. For development, whoever runs the server can allow this machine (WEBHOOK_ALLOW_LOOPBACK).',
  ],
  quota_exceeded: [
    'Your plan’s searches are used up',
    'Pay for this one with credits, or wait for the next month of your plan.',
  ],
  too_many_verifications: [
    'That was too often',
    'A number gets five codes in ten minutes, and a code five guesses. Wait a little, then send a new one.',
  ],
};

/** What happened and what to do next; null where the code of the SDK has to do. */
export function explainReason({ reason, extra }: ParleyError): Said | null {
  if (reason === 'regulatory_requirements') {
    const wanted = Array.isArray(extra?.['requirements']) ? extra['requirements'].join(', ') : '';
    return [
      'This country wants papers first',
      `Ask whoever runs this server to hand them in${wanted && `: ${wanted}`}. Nothing was charged.`,
    ];
  }
  return (reason !== undefined && reasons[reason]) || null;
}
