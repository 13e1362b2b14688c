import type { Container, PodSpec, Probe, Volume } from '../../facts/objects/pod.ts';

type Fields = Readonly<Record<string, unknown>>;

const probe = (given: Probe | undefined): Fields | undefined =>
  given && {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
    ...given,
    ...(given.httpGet === undefined ? {} : { httpGet: { path: '/', scheme: 'HTTP', ...given.httpGet } }),
  };

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const pulledAlways = (image: string): boolean => {
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest';
};

const container = (given: Container): Fields => ({
  imagePullPolicy: pulledAlways(given.image ?? '') ? 'Always' : 'IfNotPresent',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  ...given,
  ...(given.ports === undefined ? {} : { ports: given.ports.map((port) => ({ protocol: 'TCP', ...port })) }),
  ...defined({
    readinessProbe: probe(given.readinessProbe),
    livenessProbe: probe(given.livenessProbe),
    startupProbe: probe(given.startupProbe),
  }),
});

const volume = (given: Volume): Fields => ({
  ...given,
  ...(given.secret === undefined ? {} : { secret: { defaultMode: 420, ...given.secret } }),
  ...(given.configMap === undefined ? {} : { configMap: { defaultMode: 420, ...given.configMap } }),
});

/** pkg/apis/core/v1/defaults.go, for what a demo Pod says. */
export const podSpec = (given: PodSpec): Fields => ({
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
  ...given,
  containers: given.containers.map(container),
  ...(given.initContainers === undefined ? {} : { initContainers: given.initContainers.map(container) }),
  ...(given.volumes === undefined ? {} : { volumes: given.volumes.map(volume) }),
  ...(given.serviceAccountName === undefined ? {} : { serviceAccount: given.serviceAccountName }),
});
