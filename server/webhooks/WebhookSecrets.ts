import { seal, unseal } from '../../platform/seal.ts';
import { newWebhookSecret } from './sign.ts';
import type { WebhookRow } from './tables.ts';

type SecretColumns = Pick<WebhookRow, 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** How long receivers have to adopt a new secret. */
const overlapMs = 24 * 60 * 60_000;

/** The signing secrets of webhooks, each sealed for its number. */
export class WebhookSecrets {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param replaced the columns with the secret to replace, with which events are still signed for a day */
  create(numberId: string, replaced?: SecretColumns): { secret: string; columns: SecretColumns } {
    const secret = newWebhookSecret();
    // A secret sealed with an earlier SECRET_KEY is unusable.
    const previousSecret = replaced && this.#isReadable(numberId, replaced.secret) ? replaced.secret : null;
    const columns = {
      secret: seal(secret, this.#key, contextOf(numberId)),
      previousSecret,
      previousSecretUntil: previousSecret && new Date(Date.now() + overlapMs),
    };
    return { secret, columns };
  }

  #isReadable(numberId: string, sealed: Buffer): boolean {
    try {
      unseal(sealed, this.#key, contextOf(numberId));
      return true;
    } catch {
      return false;
    }
  }

  /**
   * The secrets that events are signed with at the moment, the latest first.
   * @throws Error if SECRET_KEY has changed
   */
  open(row: SecretColumns & { numberId: string }): string[] {
    const { numberId, secret, previousSecret, previousSecretUntil } = row;
    const sealed = [secret];
    if (previousSecret && previousSecretUntil && previousSecretUntil > new Date())
      sealed.push(previousSecret);
    return sealed.map((bytes) => unseal(bytes, this.#key, contextOf(numberId)));
  }
}

const contextOf = (numberId: string) => `webhook of ${numberId}`;
