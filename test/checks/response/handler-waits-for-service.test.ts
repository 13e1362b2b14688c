import { handlerWaitsForService } from '../../../src/checks/response/handler-waits-for-service.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { service, slice } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { event, maker, refused } from '../effect/failed-create-events.ts';
import {
  after,
  allows,
  blind,
  denies,
  dryRun,
  ended,
  http,
  proxySays,
  quiet,
  replica,
  type Tried,
  tried,
} from '../probed.ts';

const hangs = ended({ stage: 'tls', kind: 'timed-out' }, proxySays(''));
const logging = (number: number): Pod =>
  replica(number, {
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'webhook', ready: true, restartCount: 0, state: {} }],
    },
  });
const registry = 'Get "https://registry.example.com/v2/": context deadline exceeded';
const detail = 'context deadline exceeded';

/** These replicas; the log of the first one has this line. */
const scene = (met: readonly Tried[], line: string): Partial<Facts> => ({
  ...tried(met, { pods: met.map((_, at) => logging(at + 1)) }),
  logs: complete([['shop/policy-1/webhook', `starting\nE0101 1 main.go:1] ${line}`]]),
});
const ownCall =
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": context deadline exceeded';
const host = 'registry.example.com';

const sentry = 'dial tcp 203.0.113.61:443: connect: connection refused';
/** Another server with this selector, whose only endpoint is Ready or not; the webhook denies a test object. */
const withServer = (
  isReady: boolean,
  selector: Record<string, string> = { app: 'sentry' },
): Partial<Facts> => {
  const base = tried([denies(`failed to get certificate: ${sentry}`)]);
  const other = service(
    { selector, clusterIP: '203.0.113.61', clusterIPs: ['203.0.113.61'] },
    { name: 'sentry' },
  );
  return {
    ...base,
    services: complete([...(base.services?.entries() ?? []), ['shop/sentry', other]]),
    endpointSlices: complete([
      ...(base.endpointSlices?.entries() ?? []),
      ['shop/sentry', [slice([{ addresses: ['198.51.100.9'], conditions: { ready: isReady } }])]],
    ]),
  };
};
/** The same while a Deployment misses 2 Pods, which this webhook denied with this message. */
const missing = (
  base: Partial<Facts>,
  message = `cannot sign: ${sentry}`,
  namespace = 'orders',
): Partial<Facts> => {
  const text = `Error creating: admission webhook "policy.example.com" denied the request: ${message}`;
  const { involvedObject, ...rest } = event({ message: text });
  const { metadata, ...controller } = maker();
  const { callouts: _, ...events } = refused(
    [{ ...rest, involvedObject: { ...involvedObject, namespace } }],
    [{ ...controller, metadata: { ...metadata, namespace } }],
  );
  return { ...base, ...events };
};
const pods = { pods: '2 Pods', workloads: 'Deployment orders/cart' };

describeCheck(handlerWaitsForService, {
  reports: [
    {
      name: 'a denial by every replica, because of a request of its own',
      facts: tried([denies(`policy x: failed to fetch data for APICall: ${registry}`)]),
      expect: {
        messageId: 'denies',
        confidence: 'observed',
        data: { host, detail, replicas: 'Pod policy-1' },
      },
    },
    {
      name: 'a denial that only the API server saw',
      facts: tried([{}], {
        dryRun: dryRun(`admission webhook "policy.example.com" denied the request: ${registry}`),
      }),
      expect: { messageId: 'deniesDryRun', confidence: 'observed', data: { host, detail } },
    },
    {
      name: 'a denial because of a Service without a ready Pod',
      facts: withServer(false),
      expect: {
        messageId: 'deniesWithoutPod',
        confidence: 'observed',
        data: { service: 'shop/sentry', detail: sentry },
        names: { place: 'shop' },
      },
    },
    {
      name: 'Pods that are missing because of such a denial',
      facts: missing(withServer(false)),
      expect: {
        messageId: 'blocksWithoutPod',
        confidence: 'observed',
        data: { service: 'shop/sentry', detail: sentry, ...pods },
        names: { place: 'shop', chosen: 'orders' },
      },
    },
    {
      name: 'Pods that are missing because of such a denial, in the namespace of the Service',
      facts: missing(withServer(false), undefined, 'shop'),
      expect: {
        messageId: 'blocksBesideService',
        data: { service: 'shop/sentry', detail: sentry, pods: '2 Pods', workloads: 'Deployment shop/cart' },
        names: { place: 'shop', chosen: 'shop' },
      },
    },
    {
      name: 'Pods that are missing because of a Service with a ready Pod',
      facts: missing(withServer(true)),
      expect: {
        messageId: 'blocks',
        data: { host: 'Service shop/sentry (203.0.113.61:443)', detail: sentry, ...pods },
      },
    },
    ...Object.entries<Partial<Facts>>({
      'a Service with a ready Pod': withServer(true),
      'a Service without selector': withServer(false, {}),
      'another server, while Pods are missing because of a rule': missing(
        withServer(true),
        'no label "team"',
      ),
      'a server, while Pods are missing because of another': missing(withServer(true), registry),
      'a server, while Events are forbidden': {
        ...missing(withServer(true)),
        failedCreateEvents: forbidden('events'),
      },
    }).map(([name, facts]) => ({
      name: `a denial because of ${name}`,
      facts,
      expect: { messageId: 'denies' as const },
    })),
    {
      name: 'replicas that do not respond, one of which waits for a registry',
      facts: scene([hangs, hangs], registry),
      expect: {
        messageId: 'all',
        confidence: 'derived',
        data: { host, detail, replicas: 'both Pods' },
        evidence: `E0101 1 main.go:1] ${registry}`,
      },
    },
    {
      name: 'replicas that do not respond, because their own request must pass the webhook',
      facts: scene([hangs, hangs], `cannot write audit: ${ownCall}`),
      expect: {
        messageId: 'itself',
        confidence: 'derived',
        data: {
          replicas: 'both Pods',
          detail:
            'E0101 1 main.go:1] cannot write audit: Internal error occurred: failed calling webhook …: context deadline exceeded',
        },
      },
    },
    {
      name: 'replicas whose latest failed request is one to a registry',
      facts: scene([hangs], `${ownCall}\nE0101 1 main.go:1] ${registry}`),
      expect: { messageId: 'all', data: { host, detail, replicas: 'Pod policy-1' } },
    },
    {
      name: 'HTTP errors, although the log contains a call of its own webhook',
      facts: scene([http(500)], `${registry}\nE0101 1 main.go:1] ${ownCall}`),
      expect: { messageId: 'errors' },
    },
    {
      name: 'one of two that does not respond',
      facts: scene([hangs, allows], registry),
      expect: { messageId: 'some', data: { host, detail, replicas: 'Pod policy-1', bad: 1, total: 2 } },
    },
    {
      name: 'a response that takes most of the time',
      facts: scene([after(6000)], registry),
      expect: { messageId: 'some' },
    },
    {
      name: 'an error after a name was not found',
      facts: scene([http(500)], 'dial tcp: lookup vault.example.com on 203.0.113.10:53: no such host'),
      expect: {
        messageId: 'errors',
        data: {
          host: 'vault.example.com',
          detail: 'lookup vault.example.com on 203.0.113.10:53: no such host',
          replicas: 'Pod policy-1',
        },
      },
    },
  ],
  reportsNothing: [
    { name: 'a denial by a rule', facts: tried([denies('image is not allowed')]), outcome: 'pass' },
    {
      name: 'one replica that allows what another one cannot decide',
      facts: tried([denies(`policy x: ${registry}`), allows]),
      outcome: 'pass',
    },
    ...quiet,
    { name: 'replicas respond in time', facts: scene([allows], registry), outcome: 'pass' },
    {
      name: 'a request of the handler must pass another webhook',
      facts: scene([hangs], ownCall.replace('policy.example.com', 'other.example.com')),
      outcome: 'pass',
    },
    {
      name: 'one of two that does not respond calls itself',
      facts: scene([hangs, allows], ownCall),
      outcome: 'pass',
    },
    {
      name: 'a controller of the same program called it while it did not listen yet',
      facts: scene([hangs], ownCall.replace('context deadline exceeded', 'connect: connection refused')),
      outcome: 'pass',
    },
    { name: 'the log does not contain it', facts: scene([hangs], 'cannot lock'), outcome: 'pass' },
    {
      name: 'it is the API server that it waits for',
      facts: scene([hangs], 'Get "https://203.0.113.1:443/api/v1/secrets": dial tcp: i/o timeout'),
      outcome: 'pass',
    },
    {
      name: 'another replica than the silent one wrote it',
      facts: scene([allows, hangs], registry),
      outcome: 'pass',
    },
  ],
  isUnknown: blind,
});
