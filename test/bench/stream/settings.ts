/** The settings of a server whose viewers all come from one address. */
export const streamSettings = {
  LOG_LEVEL: 'warn',
  RATE_LIMIT_REALTIME: '1000000',
  RATE_LIMIT_JOINS: '100000',
  RATE_LIMIT_AUTH: '1000000',
  RATE_LIMIT_WHEP: '100000',
};
