import { createHmac } from 'node:crypto';
import type { LeakQueryType } from '../../sdk/protocol/leaksearch.ts';

/** Normalises an identifier, so that a search for ada@example.org finds an imported Ada@Example.org. */
export function normaliseQuery(type: LeakQueryType, query: string): string {
  const text = query.trim().normalize('NFC');
  return type === 'phone' ? text.replace(/[^+\d]/g, '') : text.toLowerCase();
}

/**
 * The hash under which an identifier is stored in the index.
 * @param query as normalised by normaliseQuery()
 */
export const hashOf = (key: Buffer, type: LeakQueryType, query: string): Buffer =>
  createHmac('sha256', key).update(`${type}:${query}`).digest().subarray(0, 16);

/**
 * Masks a query in such a way that its sender still recognises it.
 * @param query as normalised by normaliseQuery()
 */
export function maskQuery(type: LeakQueryType, query: string): string {
  switch (type) {
    case 'email': {
      const at = query.lastIndexOf('@');
      return `${first(query)}***@${maskDomain(query.slice(at + 1))}`;
    }
    case 'domain':
      return maskDomain(query);
    case 'phone':
      return `${query.slice(0, 3)}***${query.slice(-2)}`;
    case 'username':
      return `${first(query)}***`;
    case 'password_sha1_prefix':
      return `${query.slice(0, 2)}***`;
  }
}

const first = (text: string) => [...text][0] ?? '';
const maskDomain = (domain: string) => `${first(domain)}***${domain.slice(domain.lastIndexOf('.'))}`;
