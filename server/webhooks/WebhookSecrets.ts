import { seal, unseal } from '../../platform/seal.ts';
import { newWebhookSecret } from './sign.ts';
import type { WebhookRow } from './tables.ts';
import type { Keys } from '../../platform/keys.ts';

export type SecretColumns = Pick<WebhookRow, 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** How long receivers have to adopt a new secret. */
const overlapMs = 24 * 60 * 60_000;
/** How many replaced secrets sign as well. */
const mostPrevious = 4;

/** The signing secrets of webhooks, each sealed for its receiver: the id of a number or endpoint. */
export class WebhookSecrets {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /**
   * @param replaced the columns with the secret to replace, with which events are still signed for a day. So they are with the secrets that
   *   it has replaced within a day: who rotates again may not have got the answer with the one in between
   */
  create(id: string, replaced?: SecretColumns): { secret: string; columns: SecretColumns } {
    const secret = newWebhookSecret();
    const sealed = (text: string) => seal(text, this.#keys, contextOf(id));
    const previous = replaced ? this.#readable({ id, ...replaced }).slice(0, mostPrevious) : [];
    const columns = {
      secret: sealed(secret),
      previousSecret: previous.length > 0 ? sealed(previous.join(separator)) : null,
      previousSecretUntil: previous.length > 0 ? new Date(Date.now() + overlapMs) : null,
    };
    return { secret, columns };
  }

  /** Secrets sealed with an earlier SECRET_KEY are unusable. */
  #readable(row: SecretColumns & { id: string }): string[] {
    try {
      return this.open(row);
    } catch {
      return [];
    }
  }

  /**
   * The secrets that events are signed with at the moment, the latest first.
   * @throws Error if SECRET_KEY has changed
   */
  open({ id, secret, previousSecret, previousSecretUntil }: SecretColumns & { id: string }): string[] {
    const sealed = [secret];
    if (previousSecret && previousSecretUntil && previousSecretUntil > new Date())
      sealed.push(previousSecret);
    return sealed.flatMap((bytes) => unseal(bytes, this.#keys, contextOf(id)).split(separator));
  }
}

const separator = ' ';

const contextOf = (id: string) => `webhook of ${id}`;
