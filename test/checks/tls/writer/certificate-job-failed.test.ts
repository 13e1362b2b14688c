import { certificateJobFailed } from '../../../../src/checks/tls/writer/certificate-job-failed.ts';
import { complete, nothingRead } from '../../../../src/facts/lookup.ts';
import type { CertificateSecret } from '../../../../src/facts/objects/certificate-secret.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, pod } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { issued, mounting, served } from '../serving.ts';
import { checkJob, empty, inShop, patchJob, withBundle } from '../writers.ts';

const condition = (type: string, reason: string, message: string) => ({
  conditions: [{ type, status: 'True' as const, reason, message }],
});
const failed = patchJob(
  condition('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit'),
);
const scheduled = (() => {
  const job = checkJob('policy-cert-sync-29384', failed.status);
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'policy-cert-sync', uid: 'c' };
  return { ...job, metadata: { ...job.metadata, ownerReferences: [owner] } };
})();
const justCreated = (status: Parameters<typeof patchJob>[0]) => ({
  ...patchJob(status),
  metadata: { namespace: 'shop', name: 'policy-patch', creationTimestamp: '2025-12-31T23:59:30Z' },
});
const refusedPods = {
  metadata: { namespace: 'shop', name: 'policy-patch.1' },
  involvedObject: { kind: 'Job', namespace: 'shop', name: 'policy-patch' },
  type: 'Warning',
  reason: 'FailedCreate',
  message: 'Error creating: pods "policy-patch-x2x4k" is forbidden: exceeded quota: team',
};
const noAccount =
  'Error creating: pods "policy-patch-" is forbidden: error looking up service account shop/certgen: serviceaccount "certgen" not found';
const writer = 'Job shop/policy-patch';
const done = patchJob({ succeeded: 1, completionTime: '2025-11-01T00:00:00Z' });
const good = issued();
const pulling = pod({
  metadata: {
    name: 'policy-patch-x2x4k',
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'Job', name: 'policy-patch', uid: 'j', controller: true },
    ],
  },
  status: {
    phase: 'Pending',
    containerStatuses: [
      {
        name: 'patch',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "certgen"' } },
      },
    ],
  },
});

const message = 'container has runAsNonRoot and image will run as root';
const notAsRoot = {
  ...pulling,
  status: {
    phase: 'Pending',
    containerStatuses: [
      {
        name: 'patch',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'CreateContainerConfigError', message } },
      },
    ],
  },
} as const;

/** The log of the container of the Job's Pod. */
const logged = (line: string) => complete([['shop/policy-patch-x2x4k/webhook', line]]);

/** The spec of a Job with this command. */
const running = (...args: readonly string[]) => ({
  template: { spec: { containers: [{ name: 'main', args }] } },
});

/** A failed Job that names the missing Secret policy-secret. */
const naming = (job: typeof failed, ...args: readonly string[]) =>
  initWaits('wait', undefined, 'policy-secret', { ...job, spec: running(...args) });
const smokeTest = checkJob('smoke-test', failed.status);

/** The Job that creates Secret policy-tls failed, and a Pod that mounts the Secret as optional is in an init container. */
function initWaits(
  name: string,
  volumeMounts = [{ name: 'certs', mountPath: '/certs' }],
  secretName = 'policy-tls',
  job = { ...failed, spec: running('./gen-secret.sh', '--secret', secretName) },
) {
  const one = mounting();
  const volumes = [{ name: 'certs', secret: { secretName, optional: true } }];
  const state = { running: { startedAt: '2025-12-31T23:00:00Z' } };
  const initContainerStatuses = [{ name, ready: false, restartCount: 0, state }];
  return withBundle(
    good.root,
    {},
    {
      jobs: inShop(job),
      probes: nothingRead({ what: 'probes', why: 'not-requested' }),
      secrets: complete<CertificateSecret>([]),
      pods: lists({
        'shop/policy': [
          {
            ...one,
            spec: { ...one.spec, volumes, initContainers: [{ name, volumeMounts }] },
            status: { phase: 'Pending', initContainerStatuses },
          },
        ],
      }),
    },
  );
}

const ownCall =
  'Error creating: Internal error occurred: failed calling webhook "policy.example.com": could not get REST client: unable to load root certificates';
const ofWebhook = (name: string) => ({
  ...refusedPods,
  involvedObject: { ...refusedPods.involvedObject, name },
  message: ownCall,
});
/** The Service policy-controller, and a Job whose Pods its webhook refuses. */
const ofProduct = (name: string) =>
  withBundle(
    empty,
    { client: { service: { namespace: 'shop', name: 'policy-controller', port: 443 }, caBundle: '' } },
    { jobs: inShop(checkJob(name, {})), events: inShop(ofWebhook(name)) },
  );

describeCheck(certificateJobFailed, {
  reports: [
    {
      name: 'the Job whose arguments name the missing Secret, and no certificate',
      facts: initWaits('wait', undefined, 'policy-secret'),
      expect: {
        messageId: 'jobFailed',
        data: { writer: 'Job shop/policy-patch', detail: 'Job has reached the specified backoff limit' },
      },
    },
    {
      name: 'the Job of an optional Secret for which an init container waits',
      facts: initWaits('wait'),
      expect: {
        messageId: 'jobFailed',
        data: { writer: 'Job shop/policy-patch', detail: 'Job has reached the specified backoff limit' },
      },
    },
    {
      name: 'one whose Pods are refused because this webhook is down',
      facts: withBundle(empty, {}, { jobs: inShop(patchJob({})), events: inShop(ofWebhook('policy-patch')) }),
      expect: {
        messageId: 'jobRefused',
        names: { job: 'policy-patch' },
        evidence: ownCall,
      },
    },
    {
      name: 'one of the same product whose Pods are refused because this webhook is down',
      facts: ofProduct('policy-cert-generator'),
      expect: { messageId: 'jobRefused' },
    },
    {
      name: 'the patch Job that failed, where the caBundle is empty',
      facts: withBundle(empty, {}, { jobs: inShop(failed) }),
      expect: {
        messageId: 'jobFailed',
        data: { writer: 'Job shop/policy-patch', detail: 'Job has reached the specified backoff limit' },
      },
    },
    ...['ca-sync', 'certgen', 'create-cert', 'cert-gen-2'].map((end) => ({
      name: `Job policy-${end}, which is named after the Service`,
      facts: withBundle(empty, {}, { jobs: inShop(checkJob(`policy-${end}`, failed.status)) }),
      expect: {
        messageId: 'jobFailed' as const,
        data: { writer: `Job shop/policy-${end}`, detail: 'Job has reached the specified backoff limit' },
      },
    })),
    {
      name: 'one whose image cannot be pulled',
      facts: withBundle(empty, {}, { jobs: inShop(patchJob({ active: 1 })), namespacePods: inShop(pulling) }),
      expect: {
        messageId: 'jobPull',
        data: {
          writer: 'Job shop/policy-patch',
          detail: 'ImagePullBackOff: Back-off pulling image "certgen"',
        },
      },
    },
    ...[
      'roles.rbac.authorization.k8s.io "patch" is forbidden: user "system:serviceaccount:shop:patch" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held',
      'configurations is forbidden: User "system:serviceaccount:shop:patch" cannot patch resource "validatingwebhookcon',
      '{"err":"secrets \\"x\\" is forbidden: User \\"system:serviceaccount:shop:patch\\" cannot get resource"}',
    ].map((line) => ({
      name: `one that failed, with a missing permission by the error: ${line}`,
      facts: withBundle(
        empty,
        {},
        { jobs: inShop(failed), namespacePods: inShop(pulling), logs: logged(line) },
      ),
      expect: { messageId: 'jobForbidden' as const },
    })),
    {
      name: 'one that failed, with the missing permission that its log reports',
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop(failed),
          namespacePods: inShop(pulling),
          logs: logged(
            'the server refused: configurations is forbidden: User "system:serviceaccount:shop:patch" cannot patch resource "validatingwebhookconfigurations" in API group "admissionregistration.k8s.io" at the cluster scope',
          ),
        },
      ),
      expect: {
        messageId: 'jobForbidden',
        data: {
          writer: 'Job shop/policy-patch',
          detail: 'ServiceAccount shop/patch cannot patch validatingwebhookconfigurations',
        },
      },
    },
    ...(
      [
        [['--namespace=argocd'], 'argocd', 'jobElsewhere'],
        [['--host-namespace', 'argocd'], 'argocd', 'jobElsewhere'],
        [['--namespace=argocd'], 'shop', 'jobForbidden'],
        [['--namespace=argocd'], 'kube-system', 'jobForbidden'],
        [['--namespace=argocd-system'], 'argocd', 'jobForbidden'],
        [['--target-namespace=argocd'], 'argocd', 'jobForbidden'],
        [[], 'create', 'jobForbidden'],
      ] as const
    ).map(([args, namespace, messageId]) => ({
      name: `one with the arguments ${args.join(' ') || 'of its program'}, that may not read in ${namespace}`,
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop({ ...failed, spec: running('create', ...args, '--secret-name=policy-tls') }),
          namespacePods: inShop(pulling),
          logs: logged(
            `secrets "policy-tls" is forbidden: User "system:serviceaccount:shop:patch" cannot get resource "secrets" in API group "" in the namespace "${namespace}"`,
          ),
        },
      ),
      expect: { messageId },
    })),
    {
      name: 'one that is tried again, with the error that its log reports',
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop(patchJob({ active: 1 })),
          namespacePods: inShop(pulling),
          logs: logged('{"level":"fatal","msg":"got secret, but it did not contain a \'ca\' key"}'),
        },
      ),
      expect: {
        messageId: 'jobWaits',
        data: { writer: 'Job shop/policy-patch', detail: "got secret, but it did not contain a 'ca' key" },
      },
    },
    {
      name: 'one that was just created, and of which a Pod has failed',
      facts: withBundle(empty, {}, { jobs: inShop(justCreated({ failed: 1 })) }),
      expect: {
        messageId: 'jobWaits',
        data: { writer: 'Job shop/policy-patch', detail: 'none of its Pods has succeeded yet' },
      },
    },
    {
      name: 'one that was just created, and whose Pods a quota refuses',
      facts: withBundle(empty, {}, { jobs: inShop(justCreated({})), events: inShop(refusedPods) }),
      expect: {
        messageId: 'jobDenied',
        data: { writer: 'Job shop/policy-patch', detail: 'exceeded quota: team' },
      },
    },
    ...[
      'unable to validate against any security context constraint: [provider "anyuid": Forbidden]',
      'PodSecurityPolicy: unable to admit pod: []',
      'violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
      'failed quota: team: must specify limits.cpu',
      'maximum cpu usage per Container is 1, but limit is 2',
    ].map((reason) => ({
      name: `one that was just created, and whose Pods are refused: ${reason}`,
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop(justCreated({})),
          events: inShop({
            ...refusedPods,
            message: `Error creating: pods "policy-patch-x2x4k" is forbidden: ${reason}`,
          }),
        },
      ),
      expect: { messageId: 'jobDenied' as const },
    })),
    {
      name: 'one whose image is of another architecture',
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop(failed),
          namespacePods: inShop(pulling),
          logs: logged('exec /bin/certgen: exec format error'),
        },
      ),
      expect: {
        messageId: 'jobImage',
        data: { writer: 'Job shop/policy-patch', detail: 'exec /bin/certgen: exec format error' },
      },
    },
    {
      name: 'one that failed after its first Pods were refused, with the error that its log reports',
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop(patchJob({ failed: 1 })),
          events: inShop(ofWebhook('policy-patch')),
          namespacePods: inShop(pulling),
          logs: logged("got secret, but it did not contain a 'ca' key"),
        },
      ),
      expect: {
        messageId: 'jobWaits',
        data: { writer, detail: "got secret, but it did not contain a 'ca' key" },
      },
    },
    ...(
      [
        ['policy.example.com', 'jobRefused'],
        ['other.example.com', 'jobWaits'],
      ] as const
    ).map(([refuser, messageId]) => ({
      name: `one whose Pods are refused because the Pods of ${refuser} are down`,
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop(patchJob({})),
          events: inShop({
            ...refusedPods,
            message: `Error creating: Internal error occurred: failed calling webhook "${refuser}": failed to call webhook: Post "https://203.0.113.7:443/apis/validate?timeout=10s": dial tcp 203.0.113.7:443: connect: connection refused`,
          }),
        },
      ),
      expect: { messageId },
    })),
    ...(
      [
        ['https://203.0.113.1:443/api/v1/secrets', 'dial tcp 203.0.113.1:443: i/o timeout', 'jobNetwork'],
        ['https://kubernetes.default.svc/api/v1/secrets', 'net/http: TLS handshake timeout', 'jobNetwork'],
        [
          'https://203.0.113.1:443/api/v1/secrets',
          'x509: certificate signed by unknown authority',
          'jobWaits',
        ],
        ['https://step-ca.pki.svc:9000/api/v1/sign', 'dial tcp 203.0.113.7:9000: i/o timeout', 'jobWaits'],
        ['https://policy.shop.svc:443/api/validate', 'dial tcp 203.0.113.7:443: i/o timeout', 'jobWaits'],
        ['https://203.0.113.7:9000/api/sign', 'dial tcp 203.0.113.7:9000: i/o timeout', 'jobWaits'],
      ] as const
    ).map(([url, error, messageId]) => ({
      name: `one that gets no response of ${url}: ${error}`,
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop(patchJob({ active: 1 })),
          namespacePods: inShop(pulling),
          logs: logged(`error getting secret: Get "${url}": ${error}`),
        },
      ),
      expect: { messageId },
    })),
    {
      name: 'one whose image runs as root, which its Pod excludes',
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop(patchJob({ active: 1 })),
          namespacePods: inShop(notAsRoot),
        },
      ),
      expect: {
        messageId: 'jobRunsAsRoot',
        data: {
          writer: 'Job shop/policy-patch',
          detail: 'CreateContainerConfigError: container has runAsNonRoot and image will run as root',
        },
      },
    },
    {
      name: 'one whose ServiceAccount does not exist',
      facts: withBundle(
        empty,
        {},
        { jobs: inShop(justCreated({})), events: inShop({ ...refusedPods, message: noAccount }) },
      ),
      expect: { messageId: 'jobAccount', data: { writer: 'Job shop/policy-patch', detail: 'certgen' } },
    },
    {
      name: 'one that is not resumed',
      facts: withBundle(empty, {}, { jobs: inShop(patchJob({}, { suspend: true })) }),
      expect: { messageId: 'jobWaits', data: { writer: 'Job shop/policy-patch', detail: 'it is suspended' } },
    },
    {
      name: 'one that ended before the configuration was created again',
      facts: withBundle(empty, {}, { jobs: inShop(done) }),
      expect: {
        messageId: 'jobTooEarly',
        data: { writer: 'Job shop/policy-patch', detail: '2025-11-01T00:00:00Z' },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'the caBundle trusts what is served, whatever became of the Job',
      facts: served(good.root, [{ presented: good.presented }], { jobs: inShop(failed) }),
      outcome: 'pass',
    },
    {
      name: 'no init container waits for the optional Secret',
      facts: initWaits('migrate', []),
      outcome: 'pass',
    },
    ...[['--for=create'], ['--for', 'create']].map((until) => ({
      name: `a Job waits for the missing Secret: ${until}`,
      facts: naming(smokeTest, 'kubectl', 'wait', ...until, 'secret/policy-secret'),
      outcome: 'pass' as const,
    })),
    {
      name: 'a Job saves the missing Secret',
      facts: naming(checkJob('backup', failed.status), 'backup', '--secrets=policy-secret,other'),
      outcome: 'pass',
    },
    {
      name: 'a Job of a CronJob may create the missing Secret again',
      facts: naming(scheduled, './gen-secret.sh', '--secret', 'policy-secret'),
      outcome: 'pass',
    },
    {
      name: 'the Job names the Secret, which exists',
      facts: {
        ...initWaits('wait', undefined, 'policy-secret'),
        pods: lists({ 'shop/policy': [mounting()] }),
      },
      outcome: 'pass',
    },
    {
      name: 'the Job has begun a moment ago',
      facts: withBundle(empty, {}, { jobs: inShop(justCreated({ active: 1 })) }),
      outcome: 'pass',
    },
    {
      name: 'its first Pod was refused, and the next one runs',
      facts: withBundle(empty, {}, { jobs: inShop(justCreated({ active: 1 })), events: inShop(refusedPods) }),
      outcome: 'pass',
    },
    ...['policy-cert-expiry-check-29384', 'policy-tls-smoke-test', 'policy-sync', 'ledger-certgen'].map(
      (name) => ({
        name: `Job ${name} creates no certificate of the Service`,
        facts: withBundle(empty, {}, { jobs: inShop(checkJob(name, failed.status)) }),
        outcome: 'pass' as const,
      }),
    ),
    {
      name: 'a Job of a CronJob failed, and the next one may succeed',
      facts: withBundle(empty, {}, { jobs: inShop(scheduled) }),
      outcome: 'pass',
    },
    ...['ledger-cert-generator', 'policy-backup', 'policy-cert-expiry-check'].map((name) => ({
      name: `Job ${name}, whose Pods the webhook refuses, creates no certificate of this product`,
      facts: ofProduct(name),
      outcome: 'pass' as const,
    })),
    {
      name: 'a Job is about something else',
      facts: withBundle(
        empty,
        {},
        {
          jobs: inShop({
            ...failed,
            metadata: { namespace: 'shop', name: 'backup' },
            spec: { template: { spec: { containers: [{ name: 'backup', args: ['--tls', 'to-bucket'] }] } } },
          }),
        },
      ),
      outcome: 'pass',
    },
  ],
  isUnknown: [{ name: 'Jobs could not be listed', facts: withBundle(empty, {}, { jobs: forbidden() }) }],
});
