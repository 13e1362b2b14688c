import { expect } from 'chai';
import type { OpenProber } from '../../../../src/collect/cluster.ts';
import { readCluster } from '../../../../src/collect/planner.ts';
import { answerOf, recordedProber, statusOf } from '../../../support/recorded-prober.ts';
import { recordedReader } from '../../../support/recorded-reader.ts';
import { namespace, pod, service, slice, webhook } from '../../../support/snapshot.ts';

const line =
  'subjectaccessreviews.authorization.k8s.io is forbidden: User "system:serviceaccount:shop:policy" cannot create resource "subjectaccessreviews" in API group "authorization.k8s.io" at the cluster scope';

const healthyApi = {
  '/apis/apiregistration.k8s.io/v1/apiservices': [
    {
      metadata: { name: 'v1.carts.example.com' },
      spec: { group: 'carts.example.com', version: 'v1', service: { namespace: 'shop', name: 'policy' } },
      status: { conditions: [{ type: 'Available', status: 'True' }] },
    },
  ],
  '/api/v1/namespaces/shop/pods': [pod()],
};
const { name, ...client } = { name: webhook().webhook, clientConfig: webhook().client };
const crashingBackend = {
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': [
    { metadata: { name: 'policy' }, webhooks: [{ name, ...client }] },
  ],
  '/api/v1/namespaces/shop/pods': [
    pod({
      status: {
        phase: 'Running',
        conditions: [],
        containerStatuses: [
          {
            name: 'webhook',
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1 } },
          },
        ],
      },
    }),
  ],
};

/** A webhook without a caBundle. Of istiod, if it has this name: it must write the caBundle. */
const withoutBundle = (webhookName = 'namespace.sidecar-injector.istio.io') => ({
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': [
    {
      metadata: { name: 'policy' },
      webhooks: [{ name: webhookName, clientConfig: { service: { namespace: 'shop', name: 'policy' } } }],
    },
  ],
  '/apis/discovery.k8s.io/v1/endpointslices': [slice()],
  '/api/v1/namespaces/shop/pods': [pod()],
});

/** The denials of this backend in a run that names nothing, and the requests. */
async function read(
  answer: object | undefined,
  backend: object = healthyApi,
  lines = [line],
  { key = 'shop/policy', reads = false } = {},
) {
  const reader = recordedReader({
    '/api': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
    '/api/v1/services': [service()],
    '/api/v1/namespaces': [namespace()],
    ...backend,
    '/api/v1/namespaces/shop/pods/policy-1/log': lines.map((one) => `E0101 1 main.go:1] ${one}\n`).join(''),
  });
  const prober = recordedProber({
    dryRun: ({ object }) => {
      if (answer === undefined) return statusOf(403, 'no');
      const { spec } = object as {
        readonly spec?: { readonly resourceAttributes?: { readonly verb: string } };
      };
      const status = reads && spec?.resourceAttributes?.verb === 'get' ? { allowed: true } : answer;
      return answerOf(201, { status });
    },
  });
  const now = '2026-01-01T00:00:00Z';
  const open: OpenProber = () =>
    Promise.resolve(
      Object.assign(prober, { close: () => undefined, clock: () => ({ server: now, here: now }) }),
    );
  const source = readCluster(reader, {
    now: new Date(0),
    prober: open,
    readOptions: { topics: ['failures'], examineAll: false, probe: { level: 'review' } },
  });
  const { callouts } = await source.first();
  source.choose(callouts);
  await source.known(['rbacDenials']);
  const { facts } = await source.snapshot();
  return (facts.rbacDenials.getIfKnown(key) ?? []).map((one) => ({
    isConfirmed: 'confirmed' in one,
  }));
}

describe('requests that the log of an APIService reports as forbidden', () => {
  it('are found without a name, and confirmed by the API server', async () =>
    expect(await read({ allowed: false })).to.deep.equal([{ isConfirmed: true }]));
  it('are left out if they are permitted by now', async () =>
    expect(await read({ allowed: true })).to.deep.equal([]));
  it('are reported once for each ServiceAccount', async () => {
    const other = line.replace(':shop:policy"', ':shop:other"');
    expect(await read({ allowed: false }, healthyApi, [line, other, line])).to.have.length(2);
  });
  it('are not confirmed if the API server refuses the review', async () =>
    expect(await read(undefined)).to.deep.equal([{ isConfirmed: false }]));
});

describe('requests that the log of a crashing container reports as forbidden', () => {
  it('are confirmed by the API server', async () =>
    expect(await read({ allowed: false }, crashingBackend)).to.deep.equal([{ isConfirmed: true }]));
  it('are left out if they are permitted by now', async () =>
    expect(await read({ allowed: true }, crashingBackend)).to.deep.equal([]));
});

describe('the permission to write the own caBundle, which no log line reports', () => {
  const denied = { allowed: false };
  const of = { key: 'shop', reads: true };
  it('is reviewed if the API server does not trust the server', async () =>
    expect(await read(denied, withoutBundle(), [], of)).to.deep.equal([{ isConfirmed: true }]));
  it('is not reported if it is granted', async () =>
    expect(await read({ allowed: true }, withoutBundle(), [], of)).to.deep.equal([]));
  it('is not reported if the program may not read the configuration either, which it logs', async () =>
    expect(await read(denied, withoutBundle(), [], { key: 'shop' })).to.deep.equal([]));
  it('is not reviewed if no product is known to write the caBundle', async () =>
    expect(await read(denied, withoutBundle('policy.example.com'), [], of)).to.deep.equal([]));
  it('is not reported if the API server refuses the review', async () =>
    expect(await read(undefined, withoutBundle(), [], of)).to.deep.equal([]));
});
