import { z } from 'zod';
import { asymmetricAlgorithm, list, origin, seconds, webAddress } from '../settingKinds.ts';
import { setting } from './setting.ts';

/** Sign-in through an outside identity provider. */
export const identitySettings = {
  OIDC_ISSUER: setting(
    webAddress.optional(),
    'issuer of an outside identity provider (OpenID Connect), exactly as in the iss of its tokens',
  ),
  OIDC_AUDIENCE: setting(
    z.string().min(1).max(255).optional(),
    'required audience (aud) of its tokens; defaults to OIDC_CLIENT_ID',
  ),
  OIDC_CLIENT_ID: setting(
    z.string().min(1).max(255).optional(),
    "id of the console's public client at the provider (authorization code with PKCE); without it, the console offers no sign-in with the provider",
  ),
  OIDC_NAME: setting(
    z.string().min(1).max(64),
    'name of the provider on the sign-in button',
    'single sign-on',
  ),
  OIDC_SCOPE: setting(
    z.string().min(1).max(255),
    'scopes the console requests from the provider',
    'openid email',
  ),
  OIDC_JWKS_URI: setting(
    webAddress.optional(),
    "URL of the provider's keys, if its discovery document does not name it",
  ),
  OIDC_ALGORITHMS: setting(
    list.pipe(z.array(asymmetricAlgorithm).min(1)),
    'accepted signature algorithms, comma-separated',
    'RS256,PS256,ES256',
  ),
  OIDC_ORIGINS: setting(
    list.pipe(z.array(origin)),
    'further origins of the provider that the console connects to, comma-separated',
    '',
  ),
  OIDC_KEYS_SECONDS: setting(seconds, "how long the provider's keys are cached", '600'),
  OIDC_COOLDOWN_SECONDS: setting(
    seconds,
    "shortest time between two requests for the provider's keys, even if a token names an unknown key",
    '30',
  ),
};
