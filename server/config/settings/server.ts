import { z } from 'zod';
import { allRoles } from '../../../platform/node/roles.ts';
import {
  allowedOrigin,
  contact,
  flag,
  list,
  listenAddress,
  origin,
  port,
  ratio,
  seconds,
  text,
  trustedProxies,
} from '../settingKinds.ts';
import { setting } from './setting.ts';

const defaultDataDir = process.getuid?.() === 0 ? '/var/lib/parley' : './data';

const encoded = 'write @, / and # in the password as %40, %2F and %23';

/** Addresses, roles, storage and secrets of a server. */
export const serverSettings = {
  PORT: setting(port, 'port for HTTP and WebSocket', '3000'),
  HOST: setting(
    listenAddress,
    'IP address to listen on; 0.0.0.0 for all of IPv4, :: for all of IPv4 and IPv6',
    '127.0.0.1',
  ),
  PUBLIC_URL: setting(
    origin.optional(),
    'origin under which users open the server (https://parley.example.org); required in production',
  ),
  DATA_DIR: setting(text, 'folder for the embedded database, files and keys', defaultDataDir),
  DATABASE_URL: setting(
    z
      .url({
        protocol: /^postgres(ql)?$/,
        error: `use postgres://user:password@host:port/database (${encoded})`,
      })
      .optional(),
    'PostgreSQL to use instead of the embedded one (postgres://…)',
  ),
  REDIS_URL: setting(
    z
      .url({
        protocol: /^rediss?$/,
        error: `use redis://:password@host:port, or rediss:// with TLS (${encoded})`,
      })
      .optional(),
    'Redis shared by the nodes of a cluster (redis://…, or rediss://… with TLS); each node also needs the same DATABASE_URL and SECRET_KEY',
  ),
  REDIS_CA_FILE: setting(
    text.optional(),
    'PEM file of the CA that signed the certificate of Redis (rediss://), if the system does not trust it',
  ),
  ROLES: setting(
    list.pipe(z.array(z.enum(allRoles)).min(1)).transform((roles) => [...new Set(roles)]),
    'roles of this node, comma-separated: api, signaling, media',
    allRoles.join(','),
  ),
  CLUSTER_HOST: setting(
    text.optional(),
    'address at which other nodes reach this one, in a private network; defaults to HOST',
  ),
  CLUSTER_PORT: setting(port, 'port at which other nodes reach this one', '3900'),
  DRAIN_SECONDS: setting(
    seconds,
    'longest time a stopping node waits for its rooms to move to other nodes',
    '15',
  ),
  SECRET_KEY: setting(
    z.string().min(32).optional(),
    'secret from which all signing keys are derived, at least 32 characters; generated once in DATA_DIR if not set; required in production',
  ),
  SECRET_KEY_PREVIOUS: setting(
    z.string().min(32).optional(),
    'during a rotation: the SECRET_KEY before, which is still accepted; see npm run rotate:key',
  ),
  ALLOWED_ORIGINS: setting(
    list.pipe(z.array(allowedOrigin)),
    'additional origins that may use this server, comma-separated: pages (https://app.example.org) and app shells (capacitor://localhost); null allows sandboxed pages and local files; in development, pages on this machine need no entry',
    '',
  ),
  EMBED_ORIGINS: setting(
    list.pipe(z.array(origin)),
    'origins whose pages may show rooms, calls and streams of this server in a frame, with /sdk/embed.js or an iframe of /embed/…, comma-separated (https://www.example.org); none by default',
    '',
  ),
  METRICS_TOKEN: setting(
    z.string().min(16).optional(),
    'token with which a monitoring system reads the metrics at /metrics (Authorization: Bearer …), at least 16 characters',
  ),
  METRICS_PORT: setting(
    port.optional(),
    'port of its own for /metrics, in a private network; it needs METRICS_TOKEN only if that is set',
  ),
  LOAD_TEST_TOKEN: setting(
    z.string().min(16).optional(),
    'token with which npm run load may test this server from another machine, at least 16 characters; without it, only from this machine',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    z.url({ protocol: /^https?$/ }).optional(),
    'OpenTelemetry collector that gets traces of requests by OTLP over HTTP (http://collector:4318); OTEL_EXPORTER_OTLP_HEADERS is used too',
  ),
  OTEL_SERVICE_NAME: setting(text, 'name of this service in traces', 'parley'),
  OTEL_TRACES_SAMPLER_ARG: setting(ratio, 'share of requests that are traced, 0 to 1', '1'),
  SECURITY_CONTACT: setting(
    contact.optional(),
    'address for reports of security problems (mailto:… or https://…), published at /.well-known/security.txt',
  ),
  TRUST_PROXY: setting(
    trustedProxies,
    'reverse proxies whose X-Forwarded headers are trusted: their number, or their addresses, comma-separated',
    '0',
  ),
};

/** Logging, and whether the process runs in development or production. */
export const processSettings = {
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'lowest level that is logged',
    'info',
  ),
  LOG_PRETTY: setting(
    flag,
    'logs readable text instead of JSON lines; on by default in a terminal',
    String(process.stdout.isTTY === true),
  ),
  NODE_ENV: setting(
    z.enum(['development', 'production', 'test']),
    'production refuses unsafe settings and requires SECRET_KEY and PUBLIC_URL',
    'development',
  ),
};
