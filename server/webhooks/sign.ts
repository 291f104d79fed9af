import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

export const newWebhookSecret = () => prefix + randomBytes(32).toString('base64');

export interface Signed {
  id: string;
  body: string;
  /** The latest first. The event is signed with each of them. */
  secrets: string[];
}

/** Builds the three headers of Standard Webhooks. */
export function sign({ id, body, secrets }: Signed, at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
