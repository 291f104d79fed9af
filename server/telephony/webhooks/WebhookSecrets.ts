import { seal, unseal } from '../../../platform/seal.ts';
import { newWebhookSecret } from './sign.ts';
import type { WebhookRow } from './tables.ts';

type SecretColumns = Pick<WebhookRow, 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** As long as receivers have to learn a new secret. */
const overlapMs = 24 * 60 * 60_000;

/** What webhooks are signed with, sealed for the number each belongs to. */
export class WebhookSecrets {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param replaced signs too, for another day */
  create(numberId: string, replaced?: SecretColumns): { secret: string; columns: SecretColumns } {
    const secret = newWebhookSecret();
    // One from before SECRET_KEY was changed is of no use to anybody.
    const previousSecret = replaced && this.#isReadable(numberId, replaced.secret) ? replaced.secret : null;
    const columns = {
      secret: seal(secret, this.#key, placeOf(numberId)),
      previousSecret,
      previousSecretUntil: previousSecret && new Date(Date.now() + overlapMs),
    };
    return { secret, columns };
  }

  #isReadable(numberId: string, sealed: Buffer): boolean {
    try {
      unseal(sealed, this.#key, placeOf(numberId));
      return true;
    } catch {
      return false;
    }
  }

  /** Those that sign now, the latest first. @throws Error where SECRET_KEY has changed */
  open(row: SecretColumns & { numberId: string }): string[] {
    const { numberId, secret, previousSecret, previousSecretUntil } = row;
    const sealed = [secret];
    if (previousSecret && previousSecretUntil && previousSecretUntil > new Date())
      sealed.push(previousSecret);
    return sealed.map((bytes) => unseal(bytes, this.#key, placeOf(numberId)));
  }
}

const placeOf = (numberId: string) => `webhook of ${numberId}`;
