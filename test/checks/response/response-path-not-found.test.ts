import { responsePathNotFound } from '../../../src/checks/response/response-path-not-found.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Container } from '../../../src/facts/objects/pod.ts';
import { conversion, webhook } from '../../support/snapshot.ts';
import { allows, denies, describeFault, http, replica, type Tried, tried } from '../probed.ts';

/** A server that returns 404, with these arguments and variables; the path is `/validate`. */
const serving = (container: Partial<Container>, ...others: readonly Container[]) =>
  tried([http(404, '')], {
    pods: [replica(1, { spec: { containers: [{ name: 'webhook', ...container }, ...others] } })],
  });
/** A server that returns 404 to the first configuration, and this to another one with the same webhook. */
function twice(over: Partial<AdmissionCallout>, answer: Tried) {
  const metadata = { name: 'policy', creationTimestamp: '2025-01-01T00:00:00Z' };
  const second = webhook({ configuration: 'second', metadata: { ...metadata, name: 'second' }, ...over });
  const facts = tried([http(404, '')], { facts: { callouts: [webhook({ metadata }), second] } });
  const others = tried([answer], { facts: { callouts: [second] } });
  const [first, other] = [facts, others].flatMap(({ probes }) => [...(probes?.entries() ?? [])]);
  return { ...facts, probes: complete([first, other].filter((one) => one !== undefined)) };
}
/** A conversion webhook at this path that gets 404, of a program with this log. */
const converting = (path: string, line: string) => ({
  ...tried([http(404, '')], {
    facts: {
      callouts: [conversion({ client: { service: { namespace: 'shop', name: 'policy', port: 443, path } } })],
    },
  }),
  logs: complete([['shop/policy-1/webhook', line]]),
});
const registering =
  'I0907 08:12:33.611204       1 server.go:87] controller-runtime/webhook "msg"="registering webhook" "path"="/validate-example-com-v1-widget"';
/** Another webhook of the first configuration. */
const sameObject = { configuration: 'policy', webhook: 'other.example.com', index: 1 };
const requested = {
  replicas: 'Pod policy-1',
  bad: 1,
  total: 1,
  port: 8443,
  path: '/validate',
  status: 'HTTP 404',
  detail: 'the server could not find the requested resource',
};
const explaining = [
  ['unlisted', '--enabled-admission', { args: ['--enabled-admission=/jobs/validate,/jobs/mutate'] }],
  ['unlisted', '--paths', { args: ['--paths', '/jobs/validate,/mutate'] }],
  ['switchedOff', 'VALIDATION_ENABLED=false', { env: [{ name: 'VALIDATION_ENABLED', value: 'false' }] }],
  ['switchedOff', '--enable-validation=false', { args: ['--enable-validation=false'] }],
  ['switchedOff', '--disable-validation', { args: ['--disable-validation'] }],
] as const;
/** Arguments of another container. */
const besides = ['--enable-validation=false', '--proxy-endpoints=/jobs/validate,/metrics'];
const unrelated = [
  ['a variable with a value from a ConfigMap', { env: [{ name: 'DISABLE_VALIDATION' }] }],
  ['a list of paths for another purpose', { args: ['--skip-auth-paths=/jobs/validate,/healthz'] }],
  ['a list of other paths', { args: ['--paths=/metrics,/healthz'] }],
  ['a list with the path', { args: ['--paths=/jobs/validate,/validate'] }],
  ['a single path', { args: ['--metrics-path=/jobs/validate'] }],
  ['a feature that is on', { args: ['--enable-validation=true'] }],
  ['another feature that is off', { args: ['--enable-mutation=false'] }],
  ['a detail of the feature', { env: [{ name: 'VALIDATION_STRICT', value: 'false' }] }],
  ['a feature that is not disabled', { args: ['--disable-validation=false'] }],
] as const;

const error =
  'failed calling webhook "policy.example.com": failed to call webhook: the server could not find the requested resource';
const json = '{\n  "code": "undefined_document",\n  "message": "document missing: data.system.main"\n}';
const bodies = [
  ['the message of a JSON body', json, `${error}; body: document missing: data.system.main`],
  ['the first line of a text', 'no such path\nsecond line', `${error}; body: no such path`],
  ['no HTML', '<html>no</html>', error],
  ['no JSON without a message', '{"code": 7}', error],
  ['no binary data', 'PK\x03\x04', error],
] as const;

describeFault(
  responsePathNotFound,
  http(404, '404 page not found'),
  (
    [
      [400, 'admission webhook: spec.rules[0].http.paths: invalid path "foo bar"'],
      [400, 'spec.http: invalid path "foo bar"'],
      [400, 'json: invalid URL escape "%zz"'],
      [400, 'unknown route policy in spec'],
      [400, 'invalid path element in spec'],
      [400, 'no controller registered for: kind Foo'],
      [401, '{"error":"invalid url in redirect_uri"}'],
      [403, 'RBAC: unknown path'],
    ] as const
  ).map(([status, body]) => ({
    name: `a response about the object or another address: ${body}`,
    facts: tried([http(status, body)]),
  })),
  [
    ...bodies.map(([name, body, evidence]) => ({
      name: `it with ${name}`,
      facts: tried([http(404, body)]),
      expect: { messageId: 'all' as const, evidence },
    })),
    ...explaining.map(([messageId, setting, container]) => ({
      name: `the setting ${setting}`,
      facts: serving(container),
      expect: { messageId, data: { ...requested, setting } },
    })),
    ...besides.flatMap((argument) =>
      [{ ports: [{ containerPort: 8443 }] }, {}].map((container) => ({
        name: `no setting of another container: ${argument} beside ${JSON.stringify(container)}`,
        facts: serving(container, { name: 'collector', args: [argument] }),
        expect: { messageId: 'all' as const },
      })),
    ),
    ...unrelated.map(([name, container]) => ({
      name: `no setting for ${name}`,
      facts: serving(container),
      expect: { messageId: 'all' as const },
    })),
    ...[400, 401, 403].map((status) => ({
      name: `a path that the program itself refuses with ${status}`,
      facts: tried([http(status, "Unauthorized: invalid path 'a1b2'")]),
      expect: { messageId: 'refused' as const },
    })),
    ...['invalid path', 'unknown webhook path: /validate'].map((body) => ({
      name: `a path that the program itself refuses: ${body}`,
      facts: tried([http(400, body)]),
      expect: { messageId: 'refused' as const },
    })),
    {
      name: 'the path of an earlier release, beside a configuration of the same webhook whose calls succeed',
      facts: twice({}, allows),
      expect: { messageId: 'replaced' as const, data: { ...requested, other: 'second' } },
    },
    ...(
      [
        ['with another selector', { namespaceSelector: { matchLabels: { team: 'a' } } }, allows],
        [
          'that is older',
          { metadata: { name: 'second', creationTimestamp: '2024-01-01T00:00:00Z' } },
          allows,
        ],
        ['whose calls are denied', {}, denies('no')],
      ] as const
    ).map(([what, over, answer]) => ({
      name: `a path beside a configuration ${what}`,
      facts: twice(over, answer),
      expect: { messageId: 'all' as const },
    })),
    {
      name: 'a path that two configurations have',
      facts: twice({}, http(404, '')),
      expect: [{ messageId: 'all' as const }, { messageId: 'all' as const }],
    },
    {
      name: 'a path for which a server of Knative has no controller',
      facts: tried([http(400, 'no controller registered for: /validate\n')]),
      expect: { messageId: 'all' as const },
    },
    {
      name: 'a path of a configuration whose other webhook responds: it is not to be deleted',
      facts: twice(sameObject, allows),
      expect: { messageId: 'all' as const, names: { leftover: undefined } },
    },
    {
      name: 'a path of a configuration whose other webhook gets 404, too',
      facts: twice(sameObject, http(404, '')),
      expect: [{ messageId: 'all' as const }, { messageId: 'all' as const }],
    },
    ...(
      [
        ['info\tSkipping validator, its ConfigMap does not exist', 'skipped'],
        ['info\tSkipping sidecar injector, template not found', 'all'],
        ['info\tSkipping validator for namespace kube-system', 'all'],
      ] as const
    ).map(([line, messageId]) => ({
      name: `a path beside the log line ${line}`,
      facts: { ...serving({}), logs: complete([['shop/policy-1/webhook', line]]) },
      expect: { messageId },
    })),
    {
      name: 'the path for conversions of a program that registers other webhooks with controller-runtime',
      facts: converting('/convert', registering),
      expect: { messageId: 'unconverted' },
    },
    ...[
      registering.replace('/validate-example-com-v1-widget', '/convert'),
      `${registering}\n{"level":"info","logger":"controller-runtime.builder","msg":"Conversion webhook enabled","GVK":"example.com/v1, Kind=Widget"}`,
      `${registering}\n2020-11-03T17:26:55.596Z\tINFO\tcontroller-runtime.webhook\tregistering webhook\t{"path": "/convert"}`,
    ].map((log) => ({
      name: 'the path for conversions of a program that registers it, behind the port of another server',
      facts: converting('/convert', log),
      expect: { messageId: 'all' as const },
    })),
    {
      name: 'another path for conversions of such a program',
      facts: converting('/resource-conversion', registering),
      expect: { messageId: 'all' as const },
    },
    {
      name: 'the path for conversions of another program',
      facts: converting('/convert', 'Listening on :8443'),
      expect: { messageId: 'all' as const },
    },
    {
      name: 'the path that was requested',
      facts: tried([http(404, '')]),
      expect: {
        messageId: 'all' as const,
        data: requested,
      },
    },
  ],
);
