import { seal, unseal } from '../../platform/seal.ts';
import { newWebhookSecret } from './sign.ts';
import type { WebhookRow } from './tables.ts';
import type { Keys } from '../../platform/keys.ts';

export type SecretColumns = Pick<WebhookRow, 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** How long receivers have to adopt a new secret. */
const overlapMs = 24 * 60 * 60_000;

/** The signing secrets of webhooks, each sealed for its receiver: the id of a number or endpoint. */
export class WebhookSecrets {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** @param replaced the columns with the secret to replace, with which events are still signed for a day */
  create(id: string, replaced?: SecretColumns): { secret: string; columns: SecretColumns } {
    const secret = newWebhookSecret();
    // A secret sealed with an earlier SECRET_KEY is unusable.
    const previousSecret = replaced && this.#isReadable(id, replaced.secret) ? replaced.secret : null;
    const columns = {
      secret: seal(secret, this.#keys, contextOf(id)),
      previousSecret,
      previousSecretUntil: previousSecret && new Date(Date.now() + overlapMs),
    };
    return { secret, columns };
  }

  #isReadable(id: string, sealed: Buffer): boolean {
    try {
      unseal(sealed, this.#keys, contextOf(id));
      return true;
    } catch {
      return false;
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
    return sealed.map((bytes) => unseal(bytes, this.#keys, contextOf(id)));
  }
}

const contextOf = (id: string) => `webhook of ${id}`;
