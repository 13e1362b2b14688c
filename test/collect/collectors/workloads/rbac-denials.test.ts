import { expect } from 'chai';
import type { OpenProber } from '../../../../src/collect/cluster.ts';
import { readCluster } from '../../../../src/collect/planner.ts';
import { recordedProber, statusOf } from '../../../support/recorded-prober.ts';
import { recordedReader } from '../../../support/recorded-reader.ts';
import { namespace, pod, service, webhook } from '../../../support/snapshot.ts';

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

/** The denials of this backend in a run that names nothing, and the requests. */
async function read(answer: object | undefined, backend: object = healthyApi, lines = [line]) {
  const reader = recordedReader({
    '/api': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
    '/api/v1/services': [service()],
    '/api/v1/namespaces': [namespace()],
    ...backend,
    '/api/v1/namespaces/shop/pods/policy-1/log': lines.map((one) => `E0101 1 main.go:1] ${one}\n`).join(''),
  });
  const prober = recordedProber({
    dryRun: () =>
      answer === undefined
        ? statusOf(403, 'no')
        : { status: 201, headers: {}, body: Buffer.from(JSON.stringify({ status: answer })) },
  });
  const open: OpenProber = () => Promise.resolve(Object.assign(prober, { close: () => undefined }));
  const source = readCluster(reader, {
    now: new Date(0),
    prober: open,
    readOptions: { topics: ['failures'], examineAll: false, probe: { level: 'review' } },
  });
  const { callouts } = await source.first();
  source.choose(callouts);
  await source.known(['rbacDenials']);
  const { facts } = await source.snapshot();
  return (facts.rbacDenials.getIfKnown('shop/policy') ?? []).map((one) => ({
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
