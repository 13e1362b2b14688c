import type { KubeObject } from '../cluster/client.ts';

/** One break, the remedy for it, and how both are made. */
export interface FixCase {
  readonly remedy: string;
  /** The check whose finding is fixed. */
  readonly check: string;
  /** Changes the sound objects (Secret, Service, Deployment, configuration) before they are created. */
  readonly broken: (objects: FixObjects) => void;
  /** Pods that must be ready before the break counts. */
  readonly replicas?: number;
  readonly flags?: readonly string[];
  /** What the API server says before; `created` where nothing is refused. */
  readonly before: RegExp;
  /** Nothing about the call itself changes: the API server may go on over a connection that it has. */
  readonly keepsConnection?: true;
}

/** The objects of one case, in the case's own namespace. */
export interface FixObjects {
  readonly namespace: string;
  readonly secret: KubeObject;
  readonly service: KubeObject;
  readonly deployment: KubeObject;
  readonly configuration: KubeObject;
  /** PEM of an authority that signed nothing here. */
  readonly otherCa: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const callFailed = /failed calling webhook "guard\.example\.com"/;

export const fixCases: readonly FixCase[] = [
  {
    remedy: 'fix-target-port',
    keepsConnection: true,
    check: 'target-port-name-missing',
    broken: ({ service }) => {
      service.spec.ports[0].targetPort = 'htps';
    },
    before: callFailed,
  },
  {
    remedy: 'fix-service-port',
    check: 'service-port-missing',
    broken: ({ configuration }) => {
      configuration.webhooks[0].clientConfig.service.port = 8443;
    },
    replicas: 1,
    before: /no service port 8443 found/,
  },
  {
    remedy: 'fix-service-selector',
    keepsConnection: true,
    check: 'selector-matches-no-pod',
    broken: ({ service }) => {
      service.spec.selector = { app: 'gard' };
    },
    before: callFailed,
  },
  {
    remedy: 'undo-scale-to-zero',
    check: 'workload-scaled-to-zero',
    broken: ({ deployment }) => {
      deployment.spec.replicas = 0;
    },
    before: callFailed,
  },
  {
    remedy: 'inject-ca-bundle',
    check: 'stale-ca-bundle',
    broken: ({ configuration, otherCa }) => {
      configuration.webhooks[0].clientConfig.caBundle = base64(otherCa);
    },
    replicas: 1,
    before: /certificate signed by unknown authority/,
  },
  {
    remedy: 'exclude-namespace',
    check: 'service-missing',
    broken: ({ configuration }) => {
      configuration.webhooks[0].clientConfig.service.name = 'nobody';
    },
    flags: ['-n', 'NAMESPACE'],
    before: /service "nobody" not found/,
  },
  {
    remedy: 'flip-failure-policy',
    check: 'service-missing',
    broken: ({ configuration }) => {
      configuration.webhooks[0].clientConfig.service.name = 'nobody';
    },
    before: /service "nobody" not found/,
  },
  {
    remedy: 'set-timeout',
    check: 'timeout-too-long',
    broken: ({ configuration }) => {
      configuration.webhooks[0].timeoutSeconds = 30;
    },
    replicas: 1,
    before: /^created$/,
  },
  {
    remedy: 'delete-orphaned-configuration',
    check: 'orphaned-configuration',
    broken: ({ configuration }) => {
      configuration.metadata.annotations = {
        'meta.helm.sh/release-name': 'left',
        'meta.helm.sh/release-namespace': 'gone',
      };
      configuration.webhooks[0].clientConfig.service = { namespace: 'gone', name: 'left', path: '/validate' };
    },
    before: /service "left" not found/,
  },
  {
    remedy: 'scale-up',
    check: 'outage-risk-single-replica',
    broken: () => undefined,
    replicas: 1,
    before: /^created$/,
  },
  {
    remedy: 'exclude-backend-namespace',
    check: 'bootstrap-deadlock',
    broken: ({ configuration }) => {
      configuration.webhooks[0].rules.push({
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: ['pods'],
      });
    },
    before: callFailed,
  },
];
