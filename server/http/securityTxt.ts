import type { RequestHandler } from 'express';

/** How long the file is valid. RFC 9116 recommends less than a year. */
const validMs = 180 * 24 * 60 * 60_000;

/**
 * Serves security.txt (RFC 9116), which says where to report security problems of this installation.
 * @param contact the value of SECURITY_CONTACT (a mailto: or https: URL); without one, the file does not exist
 */
export const securityTxt =
  (contact: string | undefined): RequestHandler =>
  (_, response, next) => {
    if (contact === undefined) return next();
    const expires = new Date(Date.now() + validMs).toISOString();
    response.type('text/plain').send(`Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`);
  };
