import { certificateWriterNotRunning } from '../../../../src/checks/tls/writer/certificate-writer-not-running.ts';
import { nothingRead } from '../../../../src/facts/lookup.ts';
import type { Volume } from '../../../../src/facts/objects/pod.ts';
import type { Job } from '../../../../src/facts/objects/pod-controller.ts';
import type { Workload } from '../../../../src/facts/objects/workload.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects, pod, webhook, workload } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { ago } from '../../replica/replicas.ts';
import { issued, mounting, secret, served } from '../serving.ts';
import { empty, inShop, withBundle } from '../writers.ts';

/** A second Deployment in the namespace. */
const beside = (
  name: string,
  replicas: number,
  {
    args = [],
    image = `registry.example/${name}:v1`,
    status = {},
    volumes = [],
  }: {
    args?: readonly string[];
    image?: string;
    status?: Workload['status'];
    volumes?: readonly Volume[];
  } = {},
): Workload =>
  workload({
    metadata: { name },
    spec: {
      replicas,
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name, args, image }], volumes },
      },
    },
    status,
  });
const written = (manager: string) => ({
  metadata: {
    name: 'policy',
    managedFields: [
      {
        manager,
        operation: 'Update',
        fieldsV1: {
          'f:webhooks': { 'k:{"name":"policy.example.com"}': { 'f:clientConfig': { 'f:caBundle': {} } } },
        },
      },
    ],
  },
});
/** The workload `keeper` that last wrote the caBundle runs, beside these. */
const besideWriter = (...workloads: readonly Workload[]) =>
  withBundle(empty, written('keeper'), {
    workloads: inShop(beside('keeper', 1, { status: { availableReplicas: 1 } }), ...workloads),
  });
const given = (...workloads: readonly Workload[]) =>
  withBundle(empty, {}, { workloads: inShop(workload({ status: { availableReplicas: 1 } }), ...workloads) });

const mounts = (name: string, optional: boolean) =>
  beside(name, 1, { volumes: [{ name: 'certs', secret: { secretName: 'policy-tls', optional } }] });
/** The webhook's Pod is scheduled, and its Secret does not exist. */
const waiting = (...workloads: readonly Workload[]) => {
  const { metadata, spec } = mounting();
  const pod = { metadata, spec, status: { phase: 'Pending' as const } };
  const message = 'MountVolume.SetUp failed for volume "certs" : secret "policy-tls" not found';
  const involvedObject = { kind: 'Pod', namespace: 'shop', name: metadata.name };
  const event = { metadata, type: 'Warning', reason: 'FailedMount', message, involvedObject };
  return { ...given(...workloads), pods: lists({ 'shop/policy': [pod] }), events: lists({ shop: [event] }) };
};

/** A Pod of Deployment `operator`, which runs and is not Ready. */
const ofOperator = (restartCount = 0) =>
  pod({
    metadata: {
      name: 'operator-5d8-x2k',
      labels: { 'pod-template-hash': '5d8' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'operator-5d8', uid: 'u', controller: true },
      ],
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        {
          name: 'operator',
          ready: false,
          restartCount,
          state: { running: { startedAt: '2025-12-31T23:00:00Z' } },
        },
      ],
    },
  });

/** The webhook's Pod runs and is not Ready; its Secret has these keys, and the caBundle a CA of before. */
const unfilled = (
  keys: readonly string[],
  { seconds = 7200, ready = false }: { readonly seconds?: number; readonly ready?: boolean } = {},
  workloads: readonly Workload[] = [beside('policy-cert-controller', 0)],
  args: readonly string[] = [],
) => {
  const { metadata, spec: mounted } = mounting();
  const spec = { ...mounted, containers: mounted.containers.map((one) => ({ ...one, args })) };
  const one = pod({
    metadata: { ...metadata, creationTimestamp: ago(seconds) },
    spec,
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
  return {
    ...served(issued().root, []),
    jobs: nothingRead<readonly Job[]>({ what: 'jobs', why: 'not-requested' }),
    workloads: inShop(workload({ status: { availableReplicas: 0 } }), ...workloads),
    pods: lists({ 'shop/policy': [one] }),
    secrets: objects(secret({}, { keys })),
  };
};

/** A log of the webhook's Pod about a configuration that it does not find. */
const namesAnother = (name: string, kind = 'ValidatingWebhookConfiguration') => ({
  ...withBundle(empty),
  pods: lists({ 'shop/policy': [pod()] }),
  rbacDenials: lists({
    shop: [
      {
        pod: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
        container: 'webhook',
        line: `${kind.toLowerCase()}s.admissionregistration.k8s.io "${name}" not found`,
        missing: `${kind} ${name}`,
      },
    ],
  }),
});

/** A Pod of the webhook whose container has these arguments and variables. */
const declares = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const one = pod();
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  const containers = one.spec.containers.map((container) => ({ ...container, args, env: variables }));
  return {
    ...given(),
    pods: lists({ 'shop/policy': [{ ...one, spec: { ...one.spec, containers } }] }),
  };
};

/** The same, in a cluster with a MutatingWebhookConfiguration. */
const besideMutating = (args: readonly string[]) => {
  const facts = declares(args);
  const ref = { kind: 'MutatingWebhookConfiguration', name: 'mutations', webhook: 'a.example.com' };
  const mutating = webhook({ kind: 'mutating', ref, configuration: ref.name, webhook: ref.webhook });
  return { ...facts, callouts: [...(facts.callouts ?? []), mutating] };
};

/** The Pod of Deployment `operator`, whose container is restarted repeatedly for this reason. */
const restarted = (reason: string) => {
  const one = ofOperator(2);
  const end = { exitCode: 137, reason, finishedAt: '2025-12-31T23:59:50Z' };
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const status = { name: 'operator', ready: false, restartCount: 2, state, lastState: { terminated: end } };
  return { ...one, status: { ...one.status, containerStatuses: [status] } };
};

describeCheck(certificateWriterNotRunning, {
  reports: [
    {
      name: 'a certificate generator that is scaled to 0',
      facts: given(beside('policy-operator-gencert', 0)),
      expect: {
        messageId: 'scaledToZero',
        data: { writer: 'Deployment shop/policy-operator-gencert' },
      },
    },
    {
      name: 'an operator whose arguments name the configuration, and that has no Pod',
      facts: given(
        beside('operator', 1, {
          args: ['--webhook-config-name=policy'],
          status: {
            conditions: [
              { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' },
            ],
          },
        }),
      ),
      expect: {
        messageId: 'unavailable',
        data: { writer: 'Deployment shop/operator', detail: 'FailedCreate: exceeded quota' },
      },
    },
    {
      name: 'an operator that is configured to rotate',
      facts: given(beside('operator', 0, { args: ['--enable-cert-rotation=true'] })),
      expect: { messageId: 'scaledToZero', data: { writer: 'Deployment shop/operator' } },
    },
    {
      name: 'an operator that starts without the Secret that the webhook waits for',
      facts: waiting(mounts('operator', true)),
      expect: {
        messageId: 'unavailable',
        data: { writer: 'Deployment shop/operator', detail: 'no reason reported' },
      },
    },
    {
      name: 'the same, whose Pod was restarted',
      facts: { ...waiting(mounts('operator', true)), namespacePods: lists({ shop: [ofOperator(3)] }) },
      expect: { messageId: 'unavailable' },
    },
    {
      name: 'a cert-controller beside a running part of the product with the name of the writer',
      facts: besideWriter(beside('ledger-certgen', 0), beside('keeper-cert-controller', 0)),
      expect: { messageId: 'scaledToZero', data: { writer: 'Deployment shop/keeper-cert-controller' } },
    },
    {
      name: 'a cert-controller with the image of the writer, and another name',
      facts: besideWriter(beside('cert-controller', 0, { image: 'registry.example/keeper:v1' })),
      expect: { messageId: 'scaledToZero', data: { writer: 'Deployment shop/cert-controller' } },
    },
    {
      name: 'the last writer of the field, beside a certificate program that does not run either',
      facts: withBundle(empty, written('keeper'), {
        workloads: inShop(beside('ledger-certgen', 0), beside('keeper', 0)),
      }),
      expect: { messageId: 'scaledToZero', data: { writer: 'Deployment shop/keeper' } },
    },
    {
      name: 'a cert-controller that is scaled to 0 while the mounted Secret is empty',
      facts: unfilled([]),
      expect: { messageId: 'scaledToZero', data: { writer: 'Deployment shop/policy-cert-controller' } },
    },
    {
      name: 'the same while the Pod starts',
      facts: unfilled([], { seconds: 20 }),
      expect: { messageId: 'scaledToZero' },
    },
    ...(
      [
        ['OOMKilled', 'outOfMemory'],
        ['Error', 'unavailable'],
      ] as const
    ).map(([reason, messageId]) => ({
      name: `a program that ends repeatedly (${reason}) while the Pod starts`,
      facts: {
        // Two of the arguments of keda-operator.
        ...unfilled([], { seconds: 20 }, [
          beside('operator', 1, { args: ['--enable-cert-rotation', '--cert-secret-name=policy-tls'] }),
        ]),
        namespacePods: inShop(restarted(reason)),
      },
      expect: { messageId },
    })),
    {
      name: 'the same while the keys of the Secret have no value',
      facts: unfilled(['tls.crt', 'tls.key']),
      expect: { messageId: 'scaledToZero' },
    },
    {
      name: 'the last writer of the field, which does not run any more',
      facts: withBundle(empty, written('keeper'), { workloads: inShop(beside('keeper', 0)) }),
      expect: { messageId: 'scaledToZero', data: { writer: 'Deployment shop/keeper' } },
    },
    {
      name: 'a Pod of the backend that writes a configuration with another name',
      facts: namesAnother('other'),
      expect: {
        messageId: 'misnamed',
        data: { writer: 'Pod shop/policy-1', detail: 'ValidatingWebhookConfiguration other' },
      },
    },
    {
      // The arguments of spark-operator 2.5, after its release was renamed.
      name: 'the same, by an argument of a Pod that logs nothing about it',
      facts: declares(['webhook', '--mutating-webhook-name=mutate', '--validating-webhook-name=other']),
      expect: {
        messageId: 'misnamed',
        data: { writer: 'Pod shop/policy-1', detail: 'ValidatingWebhookConfiguration other' },
      },
    },
    {
      name: 'the same, by a variable',
      facts: declares([], { VALIDATION_WEBHOOK_CONFIG_NAME: 'other' }),
      expect: { messageId: 'misnamed' },
    },
  ],
  reportsNothing: [
    {
      name: 'the Secret is empty, and the Pod and the program that fills it start',
      facts: unfilled([], { seconds: 20 }, [beside('policy-cert-controller', 1)]),
    },
    ...[
      beside('ledger-certgen', 0),
      beside('cert-manager', 0),
      beside('other-cert-controller', 0),
      beside('ledger', 0, { args: ['--enable-cert-rotation=true'] }),
    ].map((other) => ({
      name: `the Secret is empty while the Pod starts, beside the stopped Deployment ${other.metadata.name}`,
      facts: unfilled([], { seconds: 20 }, [other]),
    })),
    {
      name: 'the Secret is empty while a Pod starts that creates its own certificate',
      facts: unfilled([], { seconds: 20 }, undefined, ['--enable-cert-rotation=true']),
    },
    {
      name: 'the Secret is empty, and a Pod serves another certificate',
      facts: unfilled([], { ready: true }),
    },
    { name: 'the Secret has a key store', facts: unfilled(['keystore.p12']) },
    {
      name: 'the Secret is empty, and the program that fills it runs',
      facts: unfilled([], {}, [beside('policy-cert-controller', 1, { status: { availableReplicas: 1 } })]),
    },
    { name: 'the Secret is empty, and nothing else could fill it', facts: unfilled([], {}, []) },
    {
      name: 'an argument names this configuration',
      facts: declares(['--validating-webhook-configuration-name=policy']),
      outcome: 'pass',
    },
    {
      name: 'an argument names a configuration of the other kind, a Service, or a value from elsewhere',
      facts: declares(
        ['--mutating-webhook-name=other', '--webhook-svc-name=other', '--webhook-config-name=$(NAME)'],
        { WEBHOOK_NAME: 'webhook', WEBHOOK_SECRET_NAME: 'policy-tls' },
      ),
      outcome: 'pass',
    },
    {
      name: 'an argument that names no kind is of an existing configuration of the other kind',
      facts: besideMutating(['--webhook-config-name=mutations']),
      outcome: 'pass',
    },
    {
      name: 'an argument names a webhook, not a configuration',
      facts: declares(['--validating-webhook-name=policy.example.com']),
      outcome: 'pass',
    },
    { name: 'the configuration exists by now', facts: namesAnother('policy'), outcome: 'pass' },
    {
      name: 'the missing configuration is of the other kind',
      facts: namesAnother('other', 'MutatingWebhookConfiguration'),
      outcome: 'pass',
    },
    ...[
      beside('cert-manager', 0),
      beside('ledger', 0, { args: ['--enable-cert-rotation=true'] }),
      beside('metrics', 0, {
        volumes: [{ name: 'certs', secret: { secretName: 'policy-tls', optional: true } }],
      }),
    ].map((other) => ({
      name: `the last writer of the field runs, beside the stopped Deployment ${other.metadata.name}`,
      facts: besideWriter(other),
      outcome: 'pass' as const,
    })),
    {
      name: 'a part of the product of the last writer is stopped, and another certificate program runs',
      facts: besideWriter(
        beside('keeper-cert-controller', 0),
        beside('operator', 1, {
          args: ['--webhook-config-name=policy'],
          status: { availableReplicas: 1 },
        }),
      ),
      outcome: 'pass',
    },
    {
      name: 'it runs',
      facts: given(beside('policy-operator-gencert', 1, { status: { availableReplicas: 1 } })),
      outcome: 'pass',
    },
    {
      name: 'a writer that is configured not to rotate',
      facts: given(beside('operator', 0, { args: ['--enable-cert-rotation=false'] })),
      outcome: 'pass',
    },
    {
      // The cert-controller of External Secrets 0.16: its /readyz returns 500 until the Secret exists.
      name: 'the writer runs and is not Ready: it may wait for the same missing Secret',
      facts: { ...waiting(mounts('operator', true)), namespacePods: lists({ shop: [ofOperator()] }) },
      outcome: 'pass',
    },
    { name: 'what waits for the same Secret', facts: waiting(mounts('adapter', false)), outcome: 'pass' },
    { name: 'what is stopped makes no certificates', facts: given(beside('frontend', 0)), outcome: 'pass' },
    {
      name: 'there is an injection annotation',
      facts: withBundle(
        empty,
        {
          metadata: { name: 'policy', annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } },
        },
        { workloads: inShop(beside('policy-operator-gencert', 0)) },
      ),
      outcome: 'pass',
    },
  ],
  isUnknown: [{ name: 'Jobs could not be listed', facts: withBundle(empty, {}, { jobs: forbidden() }) }],
});
