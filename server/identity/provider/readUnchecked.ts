import jwt from 'jsonwebtoken';

/** What a token says of itself, before anything of it is proven; null where it is no JWT. */
export function readUnchecked(token: string): { header: unknown; payload: { iss?: unknown } } | null {
  try {
    const decoded = jwt.decode(token, { complete: true });
    if (!decoded || typeof decoded.payload === 'string') return null;
    return { header: decoded.header, payload: decoded.payload };
  } catch {
    // Base64 of what is no JSON.
    return null;
  }
}
