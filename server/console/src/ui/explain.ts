import {
  english,
  explain as explainAny,
  explainSignIn as explainAnySignIn,
  type Problem,
} from '@parley/react';
import { ParleyError } from '@parley/sdk';
import { reasons } from './reasons.ts';

export type { Problem };

const explanations = { ...english.problems, ...reasons };

/** Explains any error, also those of the identity provider and of the phone services. */
export function explain(error: unknown): Problem {
  if (isFromProvider(error)) return explainProvider(error);
  if (error instanceof ParleyError && error.reason === 'regulatory_requirements') {
    const wanted = error.extra?.['requirements'];
    const list = Array.isArray(wanted) ? `: ${wanted.join(', ')}` : '';
    return {
      ...explainAny(error, explanations),
      advice: `Ask the operator of this server to submit them${list}. You were not charged.`,
    };
  }
  return explainAny(error, explanations);
}

/** Explains an error during sign-in. */
export const explainSignIn = (error: unknown): Problem => explainAnySignIn(error, explanations);

/** Explains why the identity provider did not sign in the user. */
export function explainProvider(error: unknown): Problem {
  if (error instanceof ParleyError) return explainSignIn(error);
  // The fields of the provider's answer, by their names in OAuth.
  const { error: name, error_description: description } = (error ?? {}) as Record<string, unknown>;
  if (name === 'access_denied')
    return explainAny(error, {
      unknown: ['Sign-in was cancelled', 'Nothing was changed. You can try again.'],
    });
  const why = typeof description === 'string' ? new Error(description) : error;
  return explainAny(why, { unknown: ['The identity provider did not sign you in', '{message} Try again.'] });
}

/** Whether an error is the identity provider's. It is recognised by its code, because minification changes class names. */
const isFromProvider = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR';
