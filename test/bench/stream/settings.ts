/** The settings of a server whose viewers all come from one address, and whose stream pauses for minutes while other servers are measured. */
export const streamSettings = {
  LOG_LEVEL: 'warn',
  STREAM_RECONNECT_SECONDS: '3600',
  RATE_LIMIT_REALTIME: '1000000',
  RATE_LIMIT_JOINS: '100000',
  RATE_LIMIT_AUTH: '1000000',
  RATE_LIMIT_WHEP: '100000',
  MAX_CONNECTIONS_PER_NETWORK: '20000',
};
