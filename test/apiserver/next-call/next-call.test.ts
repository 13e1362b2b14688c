import { expect } from 'chai';
import type { NextCall } from '../../../src/apiserver/next-call/call-outcome.ts';
import { nextCall } from '../../../src/apiserver/next-call/next-call.ts';
import {
  type AdmissionCallout,
  type AggregatedApiCallout,
  type Callout,
  calloutId,
} from '../../../src/facts/callout.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { Endpoint } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import type { Facts, RoutingMode } from '../../../src/facts/snapshot.ts';
import type { Unread } from '../../../src/facts/unread.ts';
import { allows, dryRun, tried } from '../../checks/probed.ts';
import {
  aggregatedApi,
  conversion,
  healthy,
  lists,
  objects,
  pod,
  port,
  service,
  slice,
  snapshotOf,
  webhook,
} from '../../support/snapshot.ts';

const factsOf = (over: Partial<Facts>): Facts => snapshotOf(healthy(over)).facts;
const ask = (over: Partial<Facts>, mode: RoutingMode | undefined, callout: Callout = webhook()): NextCall =>
  nextCall(callout, { ...factsOf(over), routing: { mode } });

const sentence = (cause: string): string =>
  `failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": ${cause}`;
const refused = (address: string): string => sentence(`dial tcp ${address}: connect: connection refused`);

const endpoint = (name: string, address: string, over: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [address],
  conditions: { ready: true },
  targetRef: { kind: 'Pod', namespace: 'shop', name },
  ...over,
});
const crashed = (name: string): Pod =>
  pod({
    metadata: { name },
    status: {
      containerStatuses: [
        {
          name: 'webhook',
          ready: false,
          restartCount: 9,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
        },
      ],
    },
  });
const slices = (...endpoints: Endpoint[]): Partial<Facts> => ({
  endpointSlices: lists({ 'shop/policy': [slice(endpoints)] }),
});
const badBundle = Buffer.from('no certificate').toString('base64');

interface Case {
  readonly of: string;
  readonly facts: Partial<Facts>;
  readonly callout?: Callout;
  readonly clusterIp: Partial<NextCall>;
  readonly endpoints: Partial<NextCall>;
  readonly modeUnknown: Partial<NextCall>;
}
const all = (call: Partial<NextCall>): Pick<Case, 'clusterIp' | 'endpoints' | 'modeUnknown'> => ({
  clusterIp: call,
  endpoints: call,
  modeUnknown: call,
});
const noEndpoints = {
  clusterIp: { outcome: 'fails', link: 'backend', sentence: refused('203.0.113.10:443') },
  endpoints: {
    outcome: 'fails',
    link: 'backend',
    sentence: sentence('no endpoints available for service "policy"'),
  },
  modeUnknown: {
    outcome: 'fails',
    link: 'backend',
    sentences: [refused('203.0.113.10:443'), sentence('no endpoints available for service "policy"')],
  },
} as const;

const cases: readonly Case[] = [
  { of: 'a healthy backend', facts: {}, ...all({ outcome: 'succeeds', sentences: [] }) },
  {
    of: 'a missing Service',
    facts: { services: objects() },
    ...all({ outcome: 'fails', link: 'routing', sentence: sentence('service "policy" not found') }),
  },
  {
    of: 'a missing port',
    facts: { services: objects(service({ ports: [port({ port: 8443 })] })) },
    ...all({
      outcome: 'fails',
      link: 'routing',
      sentence: sentence('no service port 443 found for service "policy"'),
    }),
  },
  {
    of: 'a headless Service',
    facts: { services: objects(service({ clusterIP: 'None' })) },
    clusterIp: { outcome: 'fails', sentence: sentence('cannot route to service with ClusterIP "None"') },
    endpoints: { outcome: 'succeeds' },
    modeUnknown: { outcome: 'unknown', sentences: [] },
  },
  {
    of: 'an ExternalName',
    facts: { services: objects(service({ type: 'ExternalName', externalName: 'h.example' })) },
    clusterIp: { outcome: 'unknown' },
    endpoints: { outcome: 'fails', sentence: sentence('unsupported service type "ExternalName"') },
    modeUnknown: { outcome: 'unknown' },
  },
  { of: 'no slice', facts: { endpointSlices: lists({}) }, ...noEndpoints },
  {
    of: 'no ready endpoint',
    facts: slices(endpoint('policy-1', '198.51.100.7', { conditions: { ready: false } })),
    ...noEndpoints,
  },
  {
    of: 'endpoints that drain',
    facts: slices(
      endpoint('policy-1', '198.51.100.7', {
        conditions: { ready: false, serving: true, terminating: true },
      }),
    ),
    clusterIp: { outcome: 'succeeds' },
    endpoints: noEndpoints.endpoints,
    modeUnknown: { outcome: 'unknown' },
  },
  {
    of: 'a published Pod of which nothing runs',
    facts: {
      ...slices(endpoint('policy-1', '198.51.100.7')),
      pods: lists({ 'shop/policy': [crashed('policy-1')] }),
    },
    clusterIp: { outcome: 'fails', link: 'replica', sentence: refused('203.0.113.10:443') },
    endpoints: { outcome: 'fails', link: 'replica', sentence: refused('198.51.100.7:8443') },
    modeUnknown: { outcome: 'fails', sentences: [refused('203.0.113.10:443'), refused('198.51.100.7:8443')] },
  },
  {
    of: 'one of two published Pods of which nothing runs',
    facts: {
      ...slices(endpoint('policy-1', '198.51.100.7'), endpoint('policy-2', '198.51.100.8')),
      pods: lists({ 'shop/policy': [pod(), crashed('policy-2')] }),
    },
    clusterIp: { outcome: 'fails-for-some', sentence: refused('203.0.113.10:443') },
    endpoints: { outcome: 'fails-for-some', sentence: refused('198.51.100.8:8443') },
    modeUnknown: { outcome: 'fails-for-some' },
  },
  {
    of: 'an endpoint whose Pod no longer exists',
    facts: { ...slices(endpoint('policy-9', '198.51.100.9')), endpointPods: objects() },
    ...all({ outcome: 'fails', link: 'replica', sentences: [] }),
  },
  {
    of: 'an endpoint that somebody wrote, whose Pod no longer exists',
    facts: {
      ...slices(endpoint('policy-9', '198.51.100.9')),
      services: objects(service({ selector: {} })),
      endpointPods: objects(),
    },
    ...all({ outcome: 'unknown' }),
  },
  {
    of: 'an endpoint whose name another Pod took',
    facts: slices(
      endpoint('policy-1', '198.51.100.7', { targetRef: { kind: 'Pod', name: 'policy-1', uid: 'old' } }),
    ),
    ...all({ outcome: 'fails', link: 'replica', sentences: [] }),
  },
  {
    of: 'internalTrafficPolicy Local',
    facts: { services: objects(service({ internalTrafficPolicy: 'Local' })) },
    clusterIp: { outcome: 'unknown' },
    endpoints: { outcome: 'succeeds' },
    modeUnknown: { outcome: 'unknown' },
  },
  {
    of: 'a UDP port',
    facts: { services: objects(service({ ports: [port({ protocol: 'UDP' })] })) },
    clusterIp: { outcome: 'fails', link: 'routing', sentences: [] },
    endpoints: { outcome: 'succeeds' },
    modeUnknown: { outcome: 'unknown' },
  },
  {
    of: 'a caBundle that does not load, before anything is dialled',
    facts: { services: objects() },
    callout: webhook({
      client: { service: { namespace: 'shop', name: 'policy', port: 443 }, caBundle: badBundle },
    }),
    ...all({
      outcome: 'fails',
      link: 'tls',
      sentence:
        'failed calling webhook "policy.example.com": could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
    }),
  },
  {
    of: 'review versions that nobody speaks, before the caBundle',
    facts: {},
    callout: webhook({
      admissionReviewVersions: ['v2'],
      client: { url: 'https://h.example', caBundle: badBundle },
    }),
    ...all({
      outcome: 'fails',
      link: 'registration',
      sentence:
        'failed calling webhook "policy.example.com": could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    }),
  },
  {
    of: 'a URL',
    facts: {},
    callout: webhook({ client: { url: 'https://hooks.example.com/x' } }),
    ...all({ outcome: 'unknown' }),
  },
  {
    of: 'a conversion webhook without its Service',
    facts: { services: objects() },
    callout: conversion(),
    ...all({
      outcome: 'fails',
      sentence:
        'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://policy.shop.svc:443/convert?timeout=30s": service "policy" not found',
    }),
  },
  {
    of: 'a conversion webhook with white space for a caBundle, which counts as none',
    facts: {},
    callout: conversion({ client: { ...conversion().client, caBundle: 'Cg==' } }),
    ...all({ outcome: 'fails', link: 'tls' }),
  },
  {
    of: 'a webhook without a caBundle: no public authority signs for a Service',
    facts: {},
    callout: webhook({ client: { ...webhook().client, caBundle: '' } }),
    ...all({ outcome: 'fails', link: 'tls' }),
  },
  {
    of: 'an APIService that verifies nothing',
    facts: {},
    callout: aggregatedApi({
      insecureSkipTLSVerify: true,
      client: { ...aggregatedApi().client, caBundle: '' },
    }),
    ...all({ outcome: 'succeeds' }),
  },
  {
    of: 'an APIService without its Service',
    facts: { services: objects() },
    callout: aggregatedApi(),
    ...all({ outcome: 'fails', link: 'routing', sentence: 'service unavailable' }),
  },
  {
    of: 'an APIService whose endpoints drain: the availability check wants a ready one in both modes',
    facts: slices(
      endpoint('policy-1', '198.51.100.7', {
        conditions: { ready: false, serving: true, terminating: true },
      }),
    ),
    callout: aggregatedApi(),
    ...all({ outcome: 'fails', link: 'backend', sentence: 'service unavailable' }),
  },
  {
    of: 'an APIService whose TLS nobody verifies, with a broken caBundle',
    facts: {},
    callout: aggregatedApi({
      insecureSkipTLSVerify: true,
      client: { ...aggregatedApi().client, caBundle: badBundle },
    }),
    ...all({ outcome: 'succeeds' }),
  },
  { of: 'a healthy APIService', facts: {}, callout: aggregatedApi(), ...all({ outcome: 'succeeds' }) },
];

describe('nextCall', () => {
  for (const { of, facts, callout = webhook(), ...expected } of cases) {
    it(`for ${of}`, () => {
      expect(ask(facts, 'cluster-ip', callout), 'cluster-ip').to.deep.include(expected.clusterIp);
      expect(ask(facts, 'endpoints', callout), 'endpoints').to.deep.include(expected.endpoints);
      expect(ask(facts, undefined, callout), 'mode unknown').to.deep.include(expected.modeUnknown);
    });
  }

  it('has no certain error if two are possible', () => {
    expect(ask({ endpointSlices: lists({}) }, undefined)).not.to.have.property('sentence');
  });

  it('is unknown, with the reason, if objects could not be read', () => {
    const unread: Unread = { what: 'services in namespace shop', why: 'forbidden' };
    expect(ask({ services: nothingRead(unread) }, 'cluster-ip')).to.deep.equal({
      outcome: 'unknown',
      sentences: [],
      unread,
    });
    expect(ask({ endpointSlices: nothingRead(unread) }, 'endpoints')).to.deep.include({
      outcome: 'unknown',
      unread,
    });
  });

  it('uses the conditions of endpoints if the Pods were not read', () => {
    const unread: Unread = { what: 'pods in namespace shop', why: 'forbidden' };
    const facts: Partial<Facts> = {
      pods: nothingRead(unread),
      endpointPods: nothingRead(unread),
      nodes: nothingRead(unread),
    };
    expect(ask(facts, 'endpoints')).to.deep.include({ outcome: 'succeeds' });
  });

  describe('of a Pod with several containers', () => {
    const containers = (states: Readonly<Record<string, boolean>>): Pod =>
      pod({
        spec: {
          containers: Object.keys(states).map((name) =>
            name === 'webhook' ? { name, ports: [{ containerPort: 8443 }] } : { name },
          ),
        },
        status: {
          containerStatuses: Object.entries(states).map(([name, up]) => ({
            name,
            ready: up,
            restartCount: 0,
            state: up ? { running: {} } : { waiting: {} },
          })),
        },
      });
    const fates: readonly (readonly [Readonly<Record<string, boolean>>, NextCall['outcome']])[] = [
      [{ webhook: true, other: false }, 'succeeds'],
      [{ webhook: false, other: true }, 'fails'],
      [{ webhook: false, 'istio-proxy': true }, 'succeeds'],
      [{ webhook: false, other: false }, 'fails'],
    ];
    for (const [states, outcome] of fates) {
      it(`${outcome} with ${JSON.stringify(states)}`, () => {
        expect(ask({ pods: lists({ 'shop/policy': [containers(states)] }) }, 'endpoints').outcome).to.equal(
          outcome,
        );
      });
    }
  });
});

describe('the next call to a replica that responded only to the API server’s proxy', () => {
  it('may succeed, and depends on the unknown certificate', () => {
    const proxy = { reached: true, status: 404, text: '', milliseconds: 3 } as const;
    const facts = {
      ...snapshotOf(healthy(tried([{ proxy }, { ...allows, proxy }]))).facts,
      routing: { mode: 'cluster-ip' as const },
    };
    const call = nextCall(webhook(), facts);
    expect(call.outcome).to.equal('succeeds');
    expect(call).not.to.have.property('observed');
  });
});

describe('the next call of an APIService that is not Available', () => {
  const url = 'https://203.0.113.10:443/apis/metrics.example.com/v1beta1';
  const held = (
    message: string,
    reason = 'FailedDiscoveryCheck',
    status: 'False' | 'True' | 'Unknown' = 'False',
  ): AggregatedApiCallout => aggregatedApi({ conditions: [{ type: 'Available', status, reason, message }] });
  const failed = (cause: string): AggregatedApiCallout =>
    held(`failing or missing response from ${url}: ${cause}`);
  const asked = (callout: AggregatedApiCallout, message?: string, status = 503): NextCall => {
    const discovery = message === undefined ? {} : { discovery: { status, message, milliseconds: 2 } };
    const probed = tried([{ dialogues: [{ ...silentAfterTls }] }], {
      ...discovery,
      facts: { callouts: [callout] },
    });
    const facts = { ...snapshotOf(healthy(probed)).facts, routing: { mode: 'cluster-ip' as const } };
    return nextCall(callout, facts);
  };
  const silentAfterTls = { way: 'port-forward', reviews: [] } as const;
  const links: readonly (readonly [AggregatedApiCallout, NextCall['link']])[] = [
    [failed(`bad status from ${url}: 500`), 'response'],
    [failed(`bad status from ${url}: 403`), 'response'],
    [failed(`Get "${url}": context deadline exceeded`), 'network'],
    [
      failed(
        `Get "${url}": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ),
      'tls',
    ],
    [held('service/policy in "shop" is not present', 'ServiceNotFound'), 'routing'],
    [held('endpointslices for service/policy in "shop" have no addresses', 'MissingEndpoints'), 'backend'],
    [held('service/policy in "shop" cannot be checked', 'ServiceAccessError', 'Unknown'), 'registration'],
  ];
  for (const [callout, link] of links) {
    const { message = '' } = callout.conditions[0] ?? {};
    it(`is refused because of its condition: ${message}`, () => {
      const expected = { outcome: 'fails', link, sentence: 'service unavailable', observed: true };
      expect(ask({}, undefined, callout)).to.deep.include(expected);
      expect(asked(callout)).to.deep.include(expected);
      expect(asked(callout, 'service unavailable')).to.deep.include(expected);
    });
  }

  it('reports a failure that the condition does not name', () => {
    const gone = ask({ services: objects() }, undefined, failed(`bad status from ${url}: 500`));
    expect(gone).to.deep.include({ outcome: 'fails', link: 'routing', sentence: 'service unavailable' });
  });

  it('uses the API server’s own call if that was forwarded since', () => {
    const callout = failed(`bad status from ${url}: 500`);
    expect(asked(callout, '', 200).outcome).to.equal('succeeds');
    const cause = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    expect(asked(callout, `error trying to reach service: ${cause}`)).to.deep.include({
      outcome: 'fails',
      link: 'tls',
      sentence: `error trying to reach service: ${cause}`,
    });
  });

  it('uses the API server’s own call if the backend refuses clients without the front proxy’s certificate', () => {
    const callout = held('all checks passed', 'Passed', 'True');
    const call = (status?: number, message = '') => {
      const alert = {
        stage: 'tls',
        kind: 'alert',
        alert: 'certificate required',
        text: '',
        milliseconds: 2,
      } as const;
      const probed = tried([{ dialogues: [{ way: 'port-forward', reviews: [], failure: alert }] }], {
        ...(status === undefined ? {} : { discovery: { status, message, milliseconds: 2 } }),
        facts: { callouts: [callout] },
      });
      return nextCall(callout, { ...snapshotOf(healthy(probed)).facts, routing: { mode: 'cluster-ip' } });
    };
    expect(call(200)).to.include({ outcome: 'succeeds', observed: true });
    expect(call().outcome).to.equal('unknown');
    const sentence = 'error trying to reach service: remote error: tls: certificate required';
    expect(call(503, sentence)).to.include({ outcome: 'fails', link: 'tls', sentence });
  });

  it('is made if it is Available, or if there is no condition yet', () => {
    expect(ask({}, undefined, held('all checks passed', 'Passed', 'True')).outcome).to.equal('succeeds');
    expect(ask({}, undefined, aggregatedApi()).outcome).to.equal('succeeds');
  });
});

describe('the next call of a webhook whose conditions refuse the matching requests', () => {
  const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const conditional = (expression: string, over: Partial<AdmissionCallout> = {}): AdmissionCallout =>
    webhook({ rules, matchConditions: [{ name: 'a', expression }], ...over });
  const words = `configmaps "NAME" is forbidden: expression '1/0 == 1' resulted in error: division by zero`;

  it('is never made, whatever the backend returns', () => {
    for (const facts of [{}, slices()]) {
      const call = ask(facts, 'cluster-ip', conditional('1/0 == 1'));
      expect(call).to.deep.equal({ outcome: 'fails', link: 'registration', sentences: [words] });
    }
  });

  it('is made if an error skips the webhook, or only some requests match', () => {
    expect(ask({}, 'cluster-ip', conditional('1/0 == 1', { failurePolicy: 'Ignore' })).outcome).to.equal(
      'succeeds',
    );
    expect(ask({}, 'cluster-ip', conditional('object.kind == "x"')).outcome).to.equal('succeeds');
  });

  it('fails only for some requests if a dry run is refused and others are not', () => {
    const expression = 'oldObject.metadata.name == "x"';
    const said = `configmaps "x" is forbidden: expression '${expression}' resulted in error: no such key: metadata`;
    const probed = tried([allows], { dryRun: { ...dryRun(said), status: 403 } });
    const facts = { ...snapshotOf(healthy(probed)).facts, routing: { mode: 'cluster-ip' as const } };
    const call = nextCall(conditional(expression), facts);
    expect(call).to.deep.include({
      outcome: 'fails-for-some',
      link: 'registration',
      sentence: said,
      observed: true,
    });
  });

  it('has the API server’s error for a dry run', () => {
    const said = `configmaps "x" is forbidden: expression 'object.nope' resulted in error: no such key: nope`;
    const probed = tried([allows], { dryRun: { ...dryRun(said), status: 403 } });
    const facts = { ...snapshotOf(healthy(probed)).facts, routing: { mode: 'cluster-ip' as const } };
    const call = nextCall(conditional('object.nope'), facts);
    expect(call).to.deep.equal({
      outcome: 'fails',
      link: 'registration',
      sentence: said,
      sentences: [said],
      observed: true,
    });
  });
});

describe('the next call to a Service with internalTrafficPolicy Local', () => {
  const local = { services: objects(service({ internalTrafficPolicy: 'Local' })) };
  const predicted = (over: object) => {
    const probed = tried([allows], { ...over, facts: { ...local, routing: { mode: undefined } } });
    return nextCall(webhook(), snapshotOf(healthy(probed)).facts);
  };

  it('succeeds if a call of the API server did, whatever the routing mode', () => {
    expect(predicted({ dryRun: dryRun() })).to.deep.include({ outcome: 'succeeds', observed: true });
  });

  it('is unknown without such a call', () => {
    expect(predicted({}).outcome).to.equal('unknown');
  });
});

describe('the next call to a URL that only the API server can reach', () => {
  const ended = {
    what: 'a server-side dry run: create /api/v1/namespaces/shop/configmaps',
    why: 'server-error',
    detail: "ValidatingAdmissionPolicy 'team' with binding 'team' denied request: label required",
  } as const;
  const callout = webhook({ client: { url: 'https://127.0.0.1:9443/validate' } });
  const withProbes = (notTried: readonly Unread[]) => {
    const probes = complete<CalloutProbes>([
      [
        calloutId(callout),
        { level: 'review', serverName: '127.0.0.1', replicas: [], notTried, beyondReplicas: notTried },
      ],
    ]);
    return nextCall(callout, snapshotOf({ callouts: [callout], probes }).facts);
  };

  it('is unknown, with the reason, if another policy ended the dry run', () =>
    expect(withProbes([ended])).to.deep.include({ outcome: 'unknown', unread: ended }));
  it('has no reason to fail if no dry run was sent', () =>
    expect(withProbes([])).to.not.have.property('unread'));
});
