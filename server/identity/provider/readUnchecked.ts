import jwt from 'jsonwebtoken';

/** Decodes a token without verifying it; null if it is not a JWT. */
export function readUnchecked(token: string): { header: unknown; payload: { iss?: unknown } } | null {
  try {
    const decoded = jwt.decode(token, { complete: true });
    if (!decoded || typeof decoded.payload === 'string') return null;
    return { header: decoded.header, payload: decoded.payload };
  } catch {
    // The decoded Base64 is not JSON.
    return null;
  }
}
