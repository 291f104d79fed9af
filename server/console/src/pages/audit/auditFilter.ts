import type { AuditQuery, AuditRow } from '@parley/sdk';

/** The filters, as in the page's URL: /audit?keyPrefix=…&action=…&from=2026-11-20&to=… */
export interface AuditFilter {
  keyPrefix: string;
  action: AuditRow['action'] | '';
  /** Days (yyyy-mm-dd) in the browser's time zone. */
  from: string;
  to: string;
  /** `shown`: also what the console and other apps read with a session. */
  reads: 'shown' | '';
}

export const actionNames: Record<AuditRow['action'], string> = {
  request: 'Requests',
  'account.exported': 'Data exported',
  'account.deletion_requested': 'Deletion requested',
  'account.restored': 'Deletion withdrawn',
  'api_key.created': 'Key created',
  'api_key.rotated': 'Key rotated',
  'api_key.revoked': 'Key revoked',
  'session.created': 'Signed in',
  'session.ended': 'Signed out',
  'webhook.changed': 'Webhook changed',
  'credits.granted': 'Credits added',
  'credits.taken_back': 'Credits deducted',
  'account.blocked': 'Account blocked',
  'account.unblocked': 'Account unblocked',
  'identity.linked': 'Sign-in method linked',
  'identity.unlinked': 'Sign-in method unlinked',
  'subscription.changed': 'Plan changed',
};

const isDay = (text: string | null) => (text && /^\d{4}-\d\d-\d\d$/.test(text) ? text : '');
const isAction = (text: string | null): text is AuditRow['action'] =>
  text !== null && Object.hasOwn(actionNames, text);

export function readFilter(parameters: URLSearchParams): AuditFilter {
  const action = parameters.get('action');
  return {
    keyPrefix: parameters.get('keyPrefix') ?? '',
    action: isAction(action) ? action : '',
    from: isDay(parameters.get('from')),
    to: isDay(parameters.get('to')),
    reads: parameters.get('reads') === 'shown' ? 'shown' : '',
  };
}

/** The query parameters of a filter. Empty fields are left out. */
export const writeFilter = (filter: AuditFilter): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));

/** Converts a filter into a query to the server. The whole last day is included. */
export function toQuery({ keyPrefix, action, from, to, reads }: AuditFilter): AuditQuery {
  return {
    ...(keyPrefix && { keyPrefix }),
    ...(action && { action }),
    ...(from && { from: midnight(from, 0) }),
    ...(to && { to: midnight(to, 1) }),
    ...(reads === '' && { hide: 'session_reads' }),
  };
}

function midnight(day: string, daysLater: number): Date {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + daysLater);
  return date;
}
