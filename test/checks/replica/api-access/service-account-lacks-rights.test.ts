import { serviceAccountLacksRights } from '../../../../src/checks/replica/api-access/service-account-lacks-rights.ts';
import { nothingRequested } from '../../../../src/collect/collectors/catalogue.ts';
import { calloutId } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Facts } from '../../../../src/facts/snapshot.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { aggregatedApi, lists, objects, pod, service, takenAt, webhook } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import {
  allows,
  blind,
  denies,
  ended,
  leases,
  proxySays,
  quiet,
  refused,
  sampled,
  tried,
} from '../../probed.ts';
import { encoded, inDays } from '../../tls/bundles.ts';
import { anotherRoot, issued, probes } from '../../tls/serving.ts';

const hangs = ended({ stage: 'tls', kind: 'timed-out' }, proxySays(''));
const no = denies('tenant "a" is not known');

const lacking = (verb: string, resource: string, namespace?: string, isConfirmed = true): Partial<Facts> => ({
  ...leases(),
  rbacDenials: lists({
    'shop/policy': [
      {
        pod: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
        container: 'manager',
        line: `${resource} is forbidden`,
        forbidden: { account: 'shop/policy', verb, resource, namespace },
        ...(isConfirmed ? { confirmed: true as const } : {}),
      },
    ],
  }),
});
/** Container webhook of the only Pod crash-loops; this is its last log line. */
const crashing = (
  line: string,
  kind: 'containerStatuses' | 'initContainerStatuses' = 'containerStatuses',
): Partial<Facts> => {
  const facts = tried([refused]);
  const [one] = facts.pods?.get('shop/policy') ?? [];
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const statuses = [{ name: 'webhook', ready: false, restartCount: 3, state }];
  const crashed = { ...pod(), ...one, status: { phase: 'Running' as const, [kind]: statuses } };
  return {
    ...facts,
    pods: lists({ 'shop/policy': [crashed] }),
    logs: complete([[`shop/${crashed.metadata.name}/webhook`, line]]),
  };
};
/**
 * Container webhook of the only Pod has run for that many seconds without being Ready; this is its last log
 * line.
 */
const unready = (line: string, seconds = 300): Partial<Facts> => {
  const facts = crashing(line);
  const startedAt = new Date(Date.parse(takenAt) - seconds * 1000).toISOString();
  const pods = (facts.pods?.get('shop/policy') ?? []).map((one) => ({
    ...one,
    status: {
      ...one.status,
      containerStatuses: [
        { name: 'webhook', ready: false, restartCount: 0, state: { running: { startedAt } } },
      ],
    },
  }));
  return { ...facts, pods: lists({ 'shop/policy': pods }) };
};
const denied =
  'secrets "memberlist" is forbidden: User "system:serviceaccount:shop:policy" cannot list resource "secrets" in API group "" in the namespace "shop"';
/** A container that has just started and logs a request that a review shows as forbidden, behind a Service of this age. */
const justStarted = (creationTimestamp: string): Partial<Facts> => ({
  ...unready(denied, 5),
  ...lacking('list', 'secrets', 'shop'),
  services: objects(service({}, { creationTimestamp })),
  probes: nothingRequested().probes,
  jobs: nothingRequested().jobs,
});
/** The server of a container that is not Ready sends an alert, and may not write the configuration, by its log. */
const unregistered = (alert: string, isConfirmed = true): Partial<Facts> => {
  const resource = 'mutatingwebhookconfigurations';
  const line = `${resource}.admissionregistration.k8s.io "policy" is forbidden: User "system:serviceaccount:shop:policy" cannot patch resource "${resource}" in API group "admissionregistration.k8s.io" at the cluster scope`;
  return {
    ...unready(line),
    ...lacking('patch', `${resource}.admissionregistration.k8s.io`, undefined, isConfirmed),
    probes: tried([ended({ stage: 'tls', kind: 'alert', alert })]).probes ?? nothingRequested().probes,
    jobs: nothingRequested().jobs,
  };
};
const cache = lacking('list', 'configmaps');
const lease = lacking('get', 'leases.coordination.k8s.io', 'shop');
const about = {
  subject: 'ServiceAccount shop/policy',
  cannot: 'cannot',
  verb: 'list',
  resource: 'configmaps',
};
const everywhere = { ...about, where: 'in the whole cluster' };

/** The caBundle is empty, and the log of a Pod in the namespace has forbidden writes. */
const unwritten = (
  written: string | readonly string[],
  workload = 'policy',
  verb = 'patch',
  namespace?: string,
): Partial<Facts> => {
  const name = `${workload}-1`;
  const denials = [written].flat().map((one) => {
    const [resource = '', object] = one.split('/');
    return {
      pod: { kind: 'Pod', namespace: 'shop', name },
      container: 'manager',
      line: `${resource} "policy" is forbidden`,
      forbidden: {
        account: 'shop/policy',
        verb,
        resource,
        namespace,
        ...(object === undefined ? {} : { name: object }),
      },
    };
  });
  return {
    ...tried([allows]),
    ...leases(),
    callouts: [webhook({ client: { ...webhook().client, caBundle: '' } })],
    jobs: lists({ shop: [] }),
    secrets: objects(),
    namespacePods: lists({ shop: [pod({ metadata: { namespace: 'shop', name, ownerReferences: [] } })] }),
    rbacDenials: lists({ shop: denials }),
  };
};
/** The program may not write the caBundle, and logs nothing of that; its Pod serves this certificate. */
const unlogged = ({ root, presented }: ReturnType<typeof issued>, trustedRoot = root): Partial<Facts> => {
  const { callouts: _, rbacDenials, ...facts } = unwritten(configurations);
  const callout = webhook({ client: { ...webhook().client, caBundle: encoded(trustedRoot) } });
  const denials = (rbacDenials?.get('shop') ?? []).map((one) => ({
    ...one,
    line: '',
    confirmed: true as const,
  }));
  return {
    ...facts,
    callouts: [callout],
    probes: complete([[calloutId(callout), probes([{ presented }])]]),
    rbacDenials: lists({ shop: denials as never }),
  };
};
const reviews = 'subjectaccessreviews.authorization.k8s.io';
const configurations = 'validatingwebhookconfigurations.admissionregistration.k8s.io';

/** A line of metrics-server, which names neither user nor permission. */
const scrape = (request: string): string =>
  `E0710 15:22:18.750492       1 scraper.go:140] "Failed to scrape node" err="${request}" node="worker-1"`;
const scraping = (resource: string) => ({
  messageId: 'notReady' as const,
  confidence: 'derived' as const,
  data: {
    subject: 'ServiceAccount shop/default',
    cannot: 'could not',
    verb: 'get',
    resource,
    where: 'in the whole cluster (logged earlier, may be fixed)',
    container: 'webhook',
    state: 'not Ready',
  },
});

describeCheck(serviceAccountLacksRights, {
  reports: [
    {
      name: 'metrics that the kubelets forbid to read',
      facts: unready(scrape('request failed, status: \\"403 Forbidden\\"')),
      expect: scraping('nodes/metrics'),
    },
    {
      name: 'a summary that the kubelets forbid to read, before release 0.6 of metrics-server',
      facts: unready(
        scrape('GET \\"https://192.0.2.4:10250/stats/summary\\": bad status code \\"403 Forbidden\\"'),
      ),
      expect: scraping('nodes/stats'),
    },
    {
      name: 'a container that exits because a list is forbidden',
      facts: crashing(`{"error":${JSON.stringify(denied)},"level":"error","msg":"failed to create secret"}`),
      expect: {
        messageId: 'crashes',
        confidence: 'derived',
        data: {
          ...about,
          resource: 'secrets',
          where: 'in namespace shop',
          container: 'webhook',
          state: 'crash-looping',
        },
      },
    },
    {
      name: 'an init container that exits for the same reason',
      facts: crashing(denied, 'initContainerStatuses'),
      expect: { messageId: 'crashes', confidence: 'derived' },
    },
    {
      name: 'the same where no probe was sent, as no Pod is ready, and no writer was looked for',
      facts: { ...crashing(denied), probes: nothingRequested().probes, jobs: nothingRequested().jobs },
      expect: { messageId: 'crashes', confidence: 'derived' },
    },
    {
      name: 'the same, confirmed by a review',
      facts: { ...crashing(denied), ...lacking('list', 'secrets', 'shop') },
      expect: { messageId: 'crashes', confidence: 'derived', names: { place: 'shop', outside: undefined } },
    },
    {
      name: 'two resources that the same request needs',
      facts: crashing([denied, denied.replaceAll('secrets', 'configmaps')].join('\n')),
      expect: {
        messageId: 'crashes',
        data: { ...about, where: 'in namespace shop', container: 'webhook', state: 'crash-looping' },
        names: { verbs: 'get,list,watch', resource: 'configmaps,secrets', lost: undefined },
      },
    },
    {
      name: 'two resources, one of them in another place',
      facts: crashing(
        [
          denied.replace('in the namespace "shop"', 'at the cluster scope'),
          denied.replaceAll('secrets', 'configmaps'),
        ].join('\n'),
      ),
      expect: {
        messageId: 'crashes',
        names: {
          role: 'shop:policy:configmaps',
          resource: 'configmaps',
          lost: 'configmaps,secrets',
          permission: undefined,
        },
      },
    },
    {
      name: 'three resources: the binding is lost',
      facts: crashing(
        ['secrets', 'configmaps', 'pods'].map((one) => denied.replaceAll('secrets', one)).join('\n'),
      ),
      expect: { messageId: 'crashes', names: { lost: 'pods,secrets,configmaps', permission: undefined } },
    },
    {
      name: 'one resource, besides Events: one permission is missing',
      facts: crashing(
        [denied.replaceAll('secrets', 'events').replace('cannot list', 'cannot create'), denied].join('\n'),
      ),
      expect: {
        messageId: 'crashes',
        names: { lost: undefined, sensitive: 'secrets', permission: undefined },
      },
    },
    ...(['configmaps', 'roles.rbac.authorization.k8s.io', '*'] as const).map((resource) => ({
      name: `the only resource ${resource}: of one with keys or permissions, the manifests decide`,
      facts: {
        ...crashing(''),
        ...lacking('list', resource, 'shop'),
      },
      expect: {
        messageId: 'notListening' as const,
        names:
          resource === 'configmaps'
            ? { sensitive: undefined, permission: resource }
            : { sensitive: resource, permission: undefined },
      },
    })),
    {
      name: 'a request in another namespace than that of the Pod',
      facts: crashing(denied.replace('namespace "shop"', 'namespace "default"')),
      expect: {
        messageId: 'crashes',
        data: {
          ...about,
          resource: 'secrets',
          where: 'in namespace default',
          container: 'webhook',
          state: 'crash-looping',
        },
        names: { place: 'default', outside: 'deployment/policy' },
      },
    },
    {
      name: 'an extension API server that may not read how to verify the API server',
      facts: crashing(
        'Error: configmaps "extension-apiserver-authentication" is forbidden: User "system:serviceaccount:shop:policy" cannot get resource "configmaps" in API group "" in the namespace "kube-system"',
      ),
      expect: {
        messageId: 'header',
        names: { account: 'shop:policy', place: 'kube-system', outside: undefined },
      },
    },
    {
      name: 'a container that is not Ready, and logs what it may not list',
      facts: { ...unready(denied), probes: nothingRequested().probes, jobs: nothingRequested().jobs },
      expect: {
        messageId: 'notReady',
        confidence: 'derived',
        data: {
          ...about,
          cannot: 'could not',
          verb: 'list',
          resource: 'secrets',
          where: 'in namespace shop (logged earlier, may be fixed)',
          container: 'webhook',
          state: 'not Ready',
        },
      },
    },
    {
      name: 'the same, confirmed by a review: it gets no certificate',
      facts: {
        ...unready(denied),
        ...lacking('list', 'secrets', 'shop'),
        probes: nothingRequested().probes,
        jobs: nothingRequested().jobs,
      },
      expect: { messageId: 'waits', confidence: 'derived' },
    },
    {
      name: 'a server without a certificate, which loads it when it has written the caBundle',
      facts: unregistered('internal error'),
      expect: {
        messageId: 'waits',
        data: {
          ...everywhere,
          verb: 'patch',
          resource: 'mutatingwebhookconfigurations',
          container: 'webhook',
          state: 'not Ready',
        },
      },
    },
    {
      name: 'the same, of which no review says that it is forbidden now',
      facts: unregistered('internal error', false),
      expect: { messageId: 'notReady' },
    },
    {
      name: 'a server that rejects the client certificate, and may not write the caBundle',
      facts: unregistered('certificate required'),
      expect: { messageId: 'notReady' },
    },
    {
      name: 'what it may not list besides, in lines before other errors: one grant permits both',
      facts: {
        ...unready(
          ['configmaps', 'secrets']
            .map((one) => denied.replaceAll('secrets', one))
            .flatMap((one) => [one, `error: ${one} sync failed: ${one}`])
            .join('\n'),
        ),
        probes: nothingRequested().probes,
        jobs: nothingRequested().jobs,
      },
      expect: { messageId: 'notReady', names: { resource: 'secrets,configmaps' } },
    },
    {
      name: 'the same of a container that has just started, behind an older Service',
      facts: justStarted('2025-12-31T23:00:00Z'),
      expect: { messageId: 'waits', confidence: 'derived' },
    },
    {
      name: 'another resource, which a server may not need',
      facts: {
        ...unready(denied.replaceAll('secrets', 'configmaps')),
        ...lacking('list', 'configmaps', 'shop'),
        probes: nothingRequested().probes,
        jobs: nothingRequested().jobs,
      },
      expect: { messageId: 'notReady', confidence: 'derived' },
    },
    {
      name: 'the Role of a binding, which does not exist, without which the container exits',
      facts: crashing(`${denied}: RBAC: role.rbac.authorization.k8s.io "memberlist" not found`),
      expect: { messageId: 'unbound', confidence: 'derived' },
    },
    {
      name: 'a binding of a Role that does not exist',
      facts: {
        ...unready(`${denied}: RBAC: role.rbac.authorization.k8s.io "memberlist" not found`),
        probes: nothingRequested().probes,
        jobs: nothingRequested().jobs,
      },
      expect: {
        messageId: 'loggedUnbound',
        data: {
          ...about,
          cannot: 'could not',
          verb: 'list',
          resource: 'secrets',
          where: 'in namespace shop (logged earlier, may be fixed)',
          missing: 'Role memberlist',
        },
      },
    },
    {
      name: 'a cache that no replica may fill, for which each replica waits',
      facts: { ...sampled(tried([allows, no]), [hangs, hangs], { by: 'given' }), ...cache },
      expect: {
        messageId: 'unanswered',
        confidence: 'observed',
        data: { ...everywhere, object: 'ConfigMap shop/cart' },
      },
    },
    {
      name: 'the caBundle of another CA, which a program may not write without a log line of that',
      facts: unlogged(issued(), anotherRoot('other-ca').root),
      expect: { messageId: 'writer' },
    },
    {
      name: 'a writer that may write neither kind of configuration: one grant permits both',
      facts: unwritten([configurations, configurations.replace('validating', 'mutating')]),
      expect: {
        messageId: 'writer',
        names: { resource: `${configurations},${configurations.replace('validating', 'mutating')}` },
      },
    },
    {
      name: 'a writer that may not fill its Secret, which no Pod waits for',
      facts: unwritten('secrets/webhook-certs'),
      expect: {
        messageId: 'writer',
        data: {
          subject: 'ServiceAccount shop/policy',
          what: 'patch secrets in the whole cluster',
          written: 'the certificate',
        },
      },
    },
    {
      name: 'a writer that may not write the caBundle, which is empty',
      facts: unwritten(configurations),
      expect: {
        messageId: 'writer',
        confidence: 'observed',
        data: {
          subject: 'ServiceAccount shop/policy',
          what: 'patch validatingwebhookconfigurations in the whole cluster',
          written: 'the caBundle',
        },
        names: {
          serviceaccount: 'policy',
          role: undefined,
          clusterrole: 'shop:policy:validatingwebhookconfigurations',
          verbs: 'patch',
        },
      },
    },
    {
      name: 'a writer of one configuration, which its log names: a role can be restricted to it',
      facts: unwritten(`${configurations}/policy`),
      expect: {
        messageId: 'writerOfOne',
        confidence: 'observed',
        names: { verbs: 'get,update,patch', resource: configurations, object: 'policy' },
      },
    },
    {
      name: 'a writer of one Secret, which does not exist: a role can be restricted to it, except for its creation',
      facts: unwritten('secrets/webhook-certs', 'policy', 'get', 'shop'),
      expect: {
        messageId: 'writerOfSecret',
        confidence: 'observed',
        names: {
          role: 'shop:policy:secrets',
          place: 'shop',
          verbs: 'get,update,patch',
          object: 'webhook-certs',
        },
      },
    },
    {
      name: 'a writer that may not list the Secrets of its namespace',
      facts: unwritten('secrets/webhook-certs', 'policy', 'list', 'shop'),
      expect: { messageId: 'writer', names: { verbs: 'get,list,watch,create,update,patch' } },
    },
    {
      name: 'a writer of a configuration that its log names, and that it may not list',
      facts: unwritten(`${configurations}/policy`, 'policy', 'list'),
      expect: { messageId: 'writer' },
    },
    {
      name: 'a writer that may not even read the configuration with the caBundle',
      facts: unwritten(configurations, 'policy', 'get'),
      expect: { messageId: 'writer', names: { verbs: 'get,update,patch', sensitive: configurations } },
    },
    {
      name: 'the same, and it is unknown whether that is still forbidden',
      facts: tried([no, no], { facts: lacking('list', 'configmaps', undefined, false) }),
      expect: {
        messageId: 'cache',
        confidence: 'observed',
        data: {
          ...about,
          cannot: 'could not',
          where: 'in the whole cluster (logged earlier, may be fixed)',
          object: 'the test object',
        },
      },
    },
    {
      name: 'a cache that may not be filled, where the test object is denied',
      facts: tried([no, no], { facts: cache }),
      expect: {
        messageId: 'cache',
        confidence: 'observed',
        data: { ...everywhere, object: 'the test object' },
      },
    },
    {
      name: 'the same where an object is denied that was admitted before',
      facts: sampled(tried([no, no], { facts: cache }), [no, no], { admitted: true }),
      expect: { messageId: 'cacheMissed', data: { ...everywhere, object: 'ConfigMap shop/cart' } },
    },
    {
      name: 'an extension API server that may not authorize users',
      facts: tried([allows], {
        facts: { ...lacking('create', reviews), callouts: [aggregatedApi()] },
      }),
      expect: {
        messageId: 'reviews',
        confidence: 'observed',
        data: { ...everywhere, verb: 'create', resource: 'subjectaccessreviews' },
      },
    },
    {
      name: 'the same, if only its log says so',
      facts: tried([allows], {
        facts: { ...lacking('create', reviews, undefined, false), callouts: [aggregatedApi()] },
      }),
      expect: { messageId: 'reviews', confidence: 'derived' },
    },
    {
      name: 'a cache that may not be filled, without which the test object is allowed',
      facts: tried([allows, allows], { facts: cache }),
      expect: { messageId: 'responds', confidence: 'observed', data: everywhere },
    },
    {
      name: 'configurations that it may not list: its responses do not depend on them',
      facts: tried([no, no], { facts: lacking('list', configurations) }),
      expect: {
        messageId: 'registers',
        confidence: 'observed',
        data: { ...everywhere, resource: 'validatingwebhookconfigurations' },
      },
    },
    {
      name: 'a Lease that may not be written, and a denial that does not say that the program is at fault',
      facts: tried([no], { facts: lease }),
      expect: {
        messageId: 'leaderless',
        data: {
          subject: 'ServiceAccount shop/policy',
          cannot: 'cannot',
          verb: 'get',
          resource: 'leases',
          where: 'in namespace shop',
        },
      },
    },
    {
      name: 'a Lease that may not be written, and a denial because the cache is empty',
      facts: tried([denies('the cache is not started, can not read objects')], { facts: lease }),
      expect: {
        messageId: 'lease',
        data: {
          subject: 'ServiceAccount shop/policy',
          cannot: 'cannot',
          verb: 'get',
          resource: 'leases',
          where: 'in namespace shop',
          object: 'the test object',
        },
      },
    },
    {
      name: 'a Lease without which nothing listens',
      facts: tried([refused], { facts: lease }),
      expect: {
        messageId: 'notListening',
        data: {
          subject: 'ServiceAccount shop/policy',
          cannot: 'cannot',
          verb: 'get',
          resource: 'leases',
          where: 'in namespace shop',
        },
      },
    },
    {
      name: 'configurations that it may not list, and it opens the port only after it has written them',
      facts: tried([refused], { facts: lacking('list', configurations) }),
      expect: {
        messageId: 'notListening',
        confidence: 'observed',
        data: { ...everywhere, resource: 'validatingwebhookconfigurations' },
      },
    },
    {
      name: 'the same where an object is denied that was admitted before',
      facts: sampled(tried([allows], { facts: lease }), [no], { admitted: true }),
      expect: { messageId: 'leaseMissed' },
    },
  ],
  reportsNothing: [
    {
      name: 'an expired certificate with its caBundle, which a program may not write without a log line of that',
      facts: unlogged(issued({ server: { notAfter: inDays(-1) } })),
    },
    ...['Get "https://192.0.2.4:10250/metrics/resource": 500', '403 of another server'].map((request) => ({
      name: `metrics that no kubelet forbids: ${request}`,
      facts: unready(scrape(request)),
    })),
    {
      name: 'metrics-server is Ready, and one kubelet refused it once',
      facts: {
        ...tried([allows]),
        logs: complete([['shop/policy-1/webhook', scrape('status: \\"403 Forbidden\\"')]]),
      },
    },
    {
      name: 'the Pod that may not fill its cache crashes, and others respond',
      facts: {
        ...tried([allows, allows], { facts: cache }),
        pods: lists({
          'shop/policy': [
            pod({ metadata: { ...pod().metadata, name: 'policy-2' } }),
            pod({
              metadata: { ...pod().metadata, name: 'policy-1' },
              status: {
                phase: 'Running',
                containerStatuses: [
                  {
                    name: 'manager',
                    ready: false,
                    restartCount: 3,
                    state: { waiting: { reason: 'CrashLoopBackOff' } },
                  },
                ],
              },
            }),
          ],
        }),
      },
    },
    {
      name: 'the logged request is permitted by now',
      facts: { ...unready(denied), rbacDenials: lists({ 'shop/policy': [] }) },
    },
    { name: 'it ends for another reason', facts: { ...crashing('panic: no such file') }, outcome: 'pass' },
    {
      name: 'a container that is not Ready, and logs that it cannot record Events',
      facts: {
        ...unready(denied.replaceAll('secrets', 'events')),
        probes: nothingRequested().probes,
        jobs: nothingRequested().jobs,
      },
      outcome: 'not-applicable',
    },
    {
      name: 'a container that has just started, perhaps before its Role was created',
      facts: { ...unready(denied, 5), probes: nothingRequested().probes, jobs: nothingRequested().jobs },
      outcome: 'not-applicable',
    },
    {
      name: 'the same, confirmed by a review, while the Service is new',
      facts: justStarted(takenAt),
      outcome: 'not-applicable',
    },
    ...quiet,
    { name: 'the writer lacks another permission', facts: unwritten('deployments.apps'), outcome: 'pass' },
    { name: 'it may not write a Secret of another kind', facts: unwritten('secrets/users'), outcome: 'pass' },
    { name: 'a Pod of something else lacks it', facts: unwritten(configurations, 'shop'), outcome: 'pass' },
    {
      name: 'the writer lacks it, and the caBundle is there',
      facts: { ...unwritten(configurations), callouts: [webhook()] },
      outcome: 'pass',
    },
    {
      name: 'it lacks the permission, and one replica listens',
      facts: tried([allows, refused], { facts: lease }),
      outcome: 'pass',
    },
    { name: 'a replica allows it', facts: tried([allows, no], { facts: cache }), outcome: 'pass' },
    { name: 'it may not read a Lease', facts: tried([allows], { facts: lease }), outcome: 'pass' },
    { name: 'no permission is missing', facts: tried([no, no], { facts: leases() }), outcome: 'pass' },
    {
      name: 'it may not write Events, which no cache needs',
      facts: tried([no, no], { facts: lacking('create', 'events', 'shop') }),
      outcome: 'pass',
    },
    {
      name: 'the logs are forbidden',
      facts: tried([no, no], { facts: { ...leases(), rbacDenials: forbidden('pods/log') } }),
      outcome: 'pass',
    },
  ],
  isUnknown: blind,
});
