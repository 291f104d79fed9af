import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../server/config/config.ts';
import { blocksFor, root } from '../docs/blocks.ts';
import { checkObjects } from './checkObjects.ts';
import { Helm, type KubernetesObject } from './Helm.ts';

let helm: Helm;
beforeAll(() => {
  helm = new Helm();
});
afterAll(() => helm.remove());

const SECRET_KEY = 'f3a1c09e7b5d2468f3a1c09e7b5d2468';
const secret = {
  SECRET_KEY,
  DATABASE_URL: 'postgres://parley:p@db.example.org/parley',
  REDIS_URL: 'redis://redis.example.org',
};
const single = { publicUrl: 'https://calls.example.org', secret: { SECRET_KEY } };
const balanced = {
  ...single,
  secret,
  replicas: 2,
  files: { existingClaim: 'parley-files' },
  media: {
    port: 20_000,
    workers: 4,
    announcedAddresses: ['203.0.113.7', '203.0.113.8,2001:db8::8'],
    service: { type: 'LoadBalancer', loadBalancerClass: 'metallb.io/metallb', annotations: { zone: 'a' } },
  },
  rtmp: { enabled: true, service: { annotations: { zone: 'a' } } },
  networkPolicy: { metricsFrom: [{ podSelector: {} }] },
  antiAffinity: 'required',
  tolerations: [{ key: 'media', operator: 'Exists' }],
  nodeSelector: { media: 'yes' },
  priorityClassName: 'media',
  podAnnotations: { note: 'x' },
  serviceAccount: { annotations: { note: 'x' } },
  service: { annotations: { note: 'x' } },
  storage: { className: 'fast' },
};
const asWritten = blocksFor('docs/guides/kubernetes.md', 'chart.test.ts');
const documented = asWritten.map((values) => values.replace("SECRET_KEY: ''", `SECRET_KEY: ${SECRET_KEY}`));

interface Container {
  args: string[];
  env: { name: string; value?: string; valueFrom?: { fieldRef?: { fieldPath: string } } }[];
  securityContext: object;
  volumeMounts: { mountPath: string }[];
}
interface Pod {
  hostNetwork?: boolean;
  securityContext: object;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  containers: [Container];
}
interface ServiceSpec {
  externalTrafficPolicy: string;
  publishNotReadyAddresses: boolean;
  selector: Record<string, string>;
  ports: { protocol: string; port: number; targetPort: number; nodePort?: number }[];
}

const podOf = (objects: KubernetesObject[]) =>
  (objects.find(({ kind }) => kind === 'StatefulSet')?.spec as { template: { spec: Pod } }).template.spec;

const mediaServicesOf = (objects: KubernetesObject[]) =>
  objects
    .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'media')
    .map(({ spec }) => spec as ServiceSpec);

/** The environment in which the pod's command starts the server. */
function environmentOf(objects: KubernetesObject[], podName: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pod-'));
  try {
    writeFileSync(join(folder, 'node'), '#!/bin/sh\nexec env\n', { mode: 0o755 });
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    const settings = dockerfile.slice(dockerfile.lastIndexOf('\nENV '));
    const image = [...settings.matchAll(/^(?:ENV| {3}) (\w+)=(\S+)/gm)];
    const fields: Record<string, string> = {
      'metadata.name': podName,
      'status.podIP': '10.1.2.3',
      'status.hostIP': '198.51.100.9',
    };
    const [container] = podOf(objects).containers;
    const env: NodeJS.ProcessEnv = {};
    for (const [, name = '', value = ''] of image) env[name] = value;
    for (const { data, stringData } of objects) Object.assign(env, data, stringData);
    for (const { name, value, valueFrom } of container.env)
      env[name] =
        value ?? fields[valueFrom?.fieldRef?.fieldPath ?? ''] ?? secret[name as keyof typeof secret];
    const { stdout } = spawnSync('/bin/sh', ['-c', ...container.args], {
      encoding: 'utf8',
      env: { ...env, PATH: `${folder}:/usr/bin:/bin` },
    });
    const lines = [...stdout.matchAll(/^(\w+)=(.*)$/gm)];
    return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('every object is one that Kubernetes accepts, and the check can fail', async () => {
  const sets = await Promise.all([single, balanced, ...documented].map((values) => helm.render(values)));
  const objects = sets.flat();
  const kinds = new Set(objects.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([
    'ConfigMap',
    'Ingress',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'Secret',
    'Service',
    'ServiceAccount',
    'ServiceMonitor',
    'StatefulSet',
  ]);
  /** @returns the first StatefulSet with another field in its pods */
  const changed = (field: object): KubernetesObject => {
    const [copy] = structuredClone(objects.filter(({ kind }) => kind === 'StatefulSet'));
    if (!copy) throw new Error('There is no StatefulSet.');
    Object.assign(podOf([copy]), field);
    return copy;
  };
  const wrong = [changed({ terminationGracePeriodSeconds: 0.5 }), changed({ runAsRoot: true })];
  expect(await checkObjects([...objects, ...wrong])).toEqual([
    expect.stringContaining('terminationGracePeriodSeconds must be integer'),
    expect.stringContaining('StatefulSet parley: Object literal may only specify known properties'),
  ]);
  expect(await helm.lint(single)).toContain('0 chart(s) failed');
});

test('each pod starts a server that announces the ports of its own Service', async () => {
  for (const [values, address] of [
    [balanced, '203.0.113.8,2001:db8::8'],
    [{ ...balanced, media: { workers: 3 }, metrics: { enabled: true } }, '198.51.100.9'],
  ] as const) {
    const objects = await helm.render(values);
    const services = mediaServicesOf(objects);
    expect(services).toHaveLength(2);
    const config = readConfig(environmentOf(objects, 'parley-1'));
    expect(config).toMatchObject({
      MEDIA_ANNOUNCED_ADDRESS: address.split(','),
      CLUSTER_HOST: '10.1.2.3',
      HOST: '0.0.0.0',
      NODE_ENV: 'production',
      DRAIN_SECONDS: 15,
      METRICS_PORT: 'metrics' in values ? 9464 : undefined,
      ...secret,
    });
    const { workers } = values.media;
    const own = Array.from({ length: workers }, (_each, index) => config.MEDIA_PORT + index);
    const [first, second] = services;
    expect(second?.selector['statefulset.kubernetes.io/pod-name']).toBe('parley-1');
    expect(second).toMatchObject({ externalTrafficPolicy: 'Local', publishNotReadyAddresses: true });
    for (const protocol of ['UDP', 'TCP']) {
      const ports = second?.ports.filter((port) => port.protocol === protocol) ?? [];
      expect(ports.map(({ port }) => port)).toEqual(own);
      expect(ports.every(({ port, targetPort }) => port === targetPort)).toBe(true);
      expect(ports.map(({ nodePort }) => nodePort)).toEqual(
        own.map((port) => ('port' in values.media ? undefined : port)),
      );
    }
    expect(first?.ports.some(({ port }) => own.includes(port))).toBe(false);
  }
});

test('pods restart when what they read from the ConfigMap changes, and start Node.js as the image does', async () => {
  const checksumOf = async (values: object) => {
    const set = (await helm.render(values)).find(({ kind }) => kind === 'StatefulSet');
    const { template } = set?.spec as { template: { metadata: { annotations: Record<string, string> } } };
    return template.metadata.annotations['checksum/settings'];
  };
  const before = await checksumOf(single);
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  expect(await checksumOf(structuredClone(single))).toBe(before);
  for (const change of [
    // It sets TRUST_PROXY.
    { ingress: { enabled: true } },
    { settings: { LOG_LEVEL: 'debug' } },
    { secret: { SECRET_KEY: `${SECRET_KEY}0` } },
    { publicUrl: 'https://other.example.org' },
  ])
    expect(await checksumOf({ ...single, ...change }), JSON.stringify(change)).not.toBe(before);
  const command = /^CMD (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1] ?? '[]';
  const [container] = podOf(await helm.render(single)).containers;
  expect(container.args[0]).toContain(`exec ${(JSON.parse(command) as string[]).join(' ')}\n`);
});

test('the alerts select the job by which Prometheus knows the pods', async () => {
  const objects = await helm.render({
    ...single,
    metrics: { enabled: true, serviceMonitor: { enabled: true } },
  });
  const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor')?.spec as {
    jobLabel?: string;
    selector: { matchLabels: Record<string, string> };
  };
  const wanted = Object.entries(monitor.selector.matchLabels);
  const measured = objects.filter(
    ({ kind, metadata }) =>
      kind === 'Service' && wanted.every(([name, value]) => metadata.labels?.[name] === value),
  );
  // Without jobLabel, the job is the name of the Service.
  const jobs = measured.map(({ metadata }) => metadata.labels?.[monitor.jobLabel ?? ''] ?? metadata.name);
  const alerts = readFileSync(join(root, 'docs/grafana/alerts.yml'), 'utf8');
  const selected = [...alerts.matchAll(/\bjob="([^"]*)"/g)].map(([, job]) => job);
  expect(selected.length).toBeGreaterThan(1);
  expect(new Set(selected)).toEqual(new Set(jobs));
});

test('pods are not privileged, write only to volumes, and have time to drain', async () => {
  const pod = podOf(await helm.render({ ...single, drainSeconds: 100 }));
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 125,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(pod.hostNetwork).toBeUndefined();
  const [container] = pod.containers;
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
});

test.each([
  ["at '/replicas': minimum: got 0, want 1", { replicas: 0 }],
  ["additional properties 'replcas' not allowed", { replcas: 2 }],
  ["at '/settings/LOG_LEVEL': got number, want string", { settings: { LOG_LEVEL: 3 } }],
  [
    "at '/media/service/type': value must be one of 'NodePort', 'LoadBalancer'",
    { media: { service: { type: 'ClusterIP' } } },
  ],
  ["at '/image/digest': 'latest' does not match pattern", { image: { digest: 'latest' } }],
  ['publicUrl: required. Set the address users open', { publicUrl: '' }],
  ['secret.SECRET_KEY: required, at least 32 characters', { secret: { SECRET_KEY: 'short' } }],
  ['secret: not used together with existingSecret', { existingSecret: 'keys' }],
  ['secret.DATABASE_URL: required with more than one replica', { replicas: 2 }],
  ['files.existingClaim: with more than one replica all pods need the same files', { replicas: 2, secret }],
  ['settings.REDIS_URL: is secret', { settings: { REDIS_URL: 'redis://x' } }],
  ['settings.MEDIA_PORT: the chart sets it', { settings: { MEDIA_PORT: '1' } }],
  ['media.announcedAddresses: has 2 entries for 3 replicas', { ...balanced, replicas: 3 }],
  [
    'media.announcedAddresses: required with media.service.type LoadBalancer',
    { media: { service: { type: 'LoadBalancer' } } },
  ],
  ['would need ports up to 65536, above 65535', { media: { port: 65_535 } }],
  [
    '18999 to 19000 of the media workers include those of the ports between pods',
    { media: { port: 18_999 } },
  ],
  [
    'metrics.serviceMonitor.enabled: needs metrics.enabled',
    { metrics: { serviceMonitor: { enabled: true } } },
  ],
])('refuses values: %s', async (words, values) => {
  await expect(helm.render({ ...single, ...values })).rejects.toThrow(words);
});

test('refuses the documented values as long as they lack a key of the reader’s own', async () => {
  const withKey = asWritten.filter((values) => values.includes('SECRET_KEY:'));
  expect(withKey).toHaveLength(1);
  for (const values of withKey)
    await expect(helm.render(values)).rejects.toThrow('secret.SECRET_KEY: required, at least 32 characters');
});

test('the chart, the image and the server have one version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const chart = parse(readFileSync(join(root, 'charts/parley/Chart.yaml'), 'utf8')) as Record<string, string>;
  expect(chart).toMatchObject({ version, appVersion: version });
  expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain(`\nARG VERSION=${version}\n`);
});
