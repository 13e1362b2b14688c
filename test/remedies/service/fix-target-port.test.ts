import { complete } from '../../../src/facts/lookup.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import { fixTargetPort } from '../../../src/remedies/service/fix-target-port.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, objects, pod, port, service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const declaring = (...ports: readonly { name?: string; containerPort: number; protocol?: string }[]) =>
  pod({ spec: { containers: [{ name: 'webhook', ports }] } });
/** Ready by an HTTPS probe of this port. */
const readyBy = (
  answered: number | string,
  ports: readonly { name?: string; containerPort: number }[],
  ready: 'True' | 'False' = 'True',
  scheme = 'HTTPS',
) =>
  pod({
    spec: {
      containers: [{ name: 'webhook', ports, readinessProbe: { httpGet: { port: answered, scheme } } }],
    },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
/** As the manifest of a Vertical Pod Autoscaler, with a flag that moves the port. */
const withFlag = pod({
  spec: {
    containers: [
      {
        name: 'webhook',
        args: ['--v=4', '--port=8001'],
        ports: [{ containerPort: 8000 }, { name: 'prometheus', containerPort: 8944 }],
      },
    ],
  },
});
/** A Pod with a port of an unclear name, one of health, and this flag. */
const withHealth = (flag: string) =>
  pod({
    spec: {
      containers: [
        {
          name: 'manager',
          args: [flag],
          ports: [
            { name: 'admission', containerPort: 9443 },
            { name: 'health-api', containerPort: 10080 },
          ],
        },
      ],
    },
  });
const behind = (...pods: readonly Pod[]) => lists({ 'shop/policy': pods });
const two = [
  { name: 'https', containerPort: 8443 },
  { name: 'metrics', containerPort: 8080 },
];
const sendingTo = (targetPort: string | number) =>
  objects(service({ ports: [port({ port: 80 }), port({ targetPort })] }));
const edit = (expected: string | number, after: number) => ({
  object: { kind: 'Service', namespace: 'shop', name: 'policy' },
  operation: 'patch' as const,
  path: '/spec/ports/1/targetPort',
  expected,
  after,
});

const proxied = [
  { name: 'https', containerPort: 8443 },
  { name: 'webhook', containerPort: 9443 },
];

/** A Pod of kubebuilder's scaffolding, and lines of its log by container. */
const besideProxy = (...logged: readonly (readonly ['kube-rbac-proxy' | 'manager', string])[]) =>
  healthy({
    services: sendingTo(9443),
    pods: behind(
      pod({
        spec: {
          containers: [
            { name: 'kube-rbac-proxy', ports: [{ name: 'https', containerPort: 8443 }] },
            { name: 'manager', ports: [{ name: 'webhook-server', containerPort: 9443 }] },
          ],
        },
      }),
    ),
    logs: complete(logged.map(([container, line]) => [`shop/policy-1/${container}`, line])),
  });

describeRemedy(fixTargetPort, {
  plans: [
    {
      name: 'the port named after webhooks, where another server of the Pod responds',
      problem: { check: 'serving-certificate-name-mismatch' },
      facts: healthy({ services: sendingTo('https'), pods: behind(declaring(...proxied)) }),
      expect: {
        edits: [edit('https', 9443)],
        summary: /targets port 9443 \(webhook\) of its Pods instead of https$/,
      },
    },
    {
      name: 'the second of two ports with the name that the Service targets',
      problem: { check: 'replica-speaks-plain-http' },
      facts: healthy({
        services: sendingTo('https'),
        pods: behind(
          readyBy(8443, [
            { name: 'https', containerPort: 3000 },
            { name: 'https', containerPort: 8443 },
          ]),
        ),
      }),
      expect: { edits: [edit('https', 8443)], summary: /targets port 8443 of its Pods instead of https$/ },
    },
    {
      name: 'the declared port that a flag names the webhook port, where a health endpoint responds',
      problem: { check: 'replica-speaks-plain-http' },
      facts: healthy({ services: sendingTo(10080), pods: behind(withHealth('--webhook-port=9443')) }),
      expect: { edits: [edit(10080, 9443)] },
    },
    {
      name: 'the number of a port that some Pods name otherwise',
      facts: healthy({
        services: sendingTo('https'),
        pods: behind(
          declaring({ name: 'https', containerPort: 8443 }),
          declaring({ name: 'web', containerPort: 8443 }),
        ),
      }),
      expect: { edits: [edit('https', 8443)] },
    },
    {
      name: 'the only port that the Pods declare',
      facts: healthy({ services: sendingTo('https') }),
      expect: { edits: [edit('https', 8443)], fixes: ['validating/policy/policy.example.com'] },
    },
    {
      name: 'of several the one named after webhooks',
      facts: healthy({
        services: sendingTo(443),
        pods: lists({
          'shop/policy': [
            declaring(
              { name: 'metrics', containerPort: 8080 },
              { name: 'webhook-server', containerPort: 9443 },
            ),
          ],
        }),
      }),
      problem: { check: 'target-port-closed' },
      expect: { edits: [edit(443, 9443)] },
    },
    {
      name: "of several the one with the name of the Service's port",
      facts: healthy({
        services: objects(
          service({ ports: [port({ port: 80 }), port({ name: 'https', targetPort: 'webhook' })] }),
        ),
        pods: behind(declaring(...two)),
      }),
      expect: { edits: [edit('webhook', 8443)] },
    },
    {
      name: 'of two the one that is not the target of another Service',
      facts: healthy({
        services: objects(
          service({ ports: [port({ port: 80 }), port({ targetPort: 'gone' })] }),
          service({ ports: [port({ targetPort: 'https' })] }, { name: 'sibling' }),
        ),
        pods: behind(
          declaring({ name: 'https', containerPort: 8443 }, { name: 'hook', containerPort: 9443 }),
        ),
      }),
      expect: { edits: [edit('gone', 9443)] },
    },
    {
      name: 'unsure, the only port, which is the target of another Service',
      facts: healthy({
        services: objects(
          service({ ports: [port({ port: 80 }), port({ targetPort: 'gone' })] }),
          service({ ports: [port({ targetPort: 8443 })] }, { name: 'sibling' }),
        ),
        pods: behind(declaring({ name: 'https', containerPort: 8443 })),
      }),
      expect: { edits: [edit('gone', 8443)], unsure: 'it is unknown which port serves the webhook' },
    },
    {
      name: 'an undeclared port, and at which a readiness probe over HTTPS is answered',
      facts: healthy({ services: sendingTo('https'), pods: behind(readyBy(8443, [])) }),
      expect: { edits: [edit('https', 8443)] },
    },
    {
      name: 'of several that are declared the one that such a probe asks',
      facts: healthy({ services: sendingTo(443), pods: behind(readyBy('https', two)) }),
      problem: { check: 'target-port-closed' },
      expect: { edits: [edit(443, 8443)] },
    },
    {
      name: 'the port that a flag sets, beside a declared port of metrics',
      facts: healthy({ services: sendingTo(8000), pods: behind(withFlag) }),
      problem: { check: 'target-port-closed' },
      expect: { edits: [edit(8000, 8001)] },
    },
    {
      name: 'the port that serves neither metrics nor a probe over plain HTTP',
      facts: healthy({
        services: sendingTo(443),
        pods: behind(
          readyBy(
            8081,
            [
              { name: 'admin', containerPort: 8081 },
              { name: 'metrics', containerPort: 8080 },
              { name: 'hook', containerPort: 8443 },
            ],
            'True',
            'HTTP',
          ),
        ),
      }),
      problem: { check: 'target-port-closed' },
      expect: { edits: [edit(443, 8443)] },
    },
    {
      name: 'a port that responds instead of a declared one without a listener',
      facts: healthy({
        services: sendingTo('metrics'),
        pods: behind(readyBy(8443, two), readyBy(8443, two)),
      }),
      problem: { check: 'replica-not-listening' },
      expect: { edits: [edit('metrics', 8443)] },
    },
    {
      name: 'the port on which the server listens according to the log',
      facts: healthy({
        services: sendingTo('metrics'),
        pods: behind(declaring(...two)),
        logs: complete([['shop/policy-1/webhook', 'Listening on :443']]),
      }),
      problem: { check: 'replica-not-listening' },
      expect: {
        edits: [edit('metrics', 443)],
        unsure: 'only a log shows that the webhook server listens there',
      },
    },
  ],
  refuses: [
    {
      name: 'a port of metrics as the only other one',
      facts: healthy({
        services: sendingTo(8000),
        pods: behind(declaring({ containerPort: 8000 }, { name: 'prometheus', containerPort: 8944 })),
      }),
      problem: { check: 'target-port-closed' },
      because: /declare no other port/,
    },
    {
      name: 'a choice that nothing decides',
      facts: healthy({
        services: sendingTo('https'),
        pods: lists({
          'shop/policy': [declaring({ name: 'a', containerPort: 8080 }, { containerPort: 9443 })],
        }),
      }),
      because: /8080 \(a\) and 9443; it is unknown/,
    },
    {
      name: 'where the Pods declare nothing else',
      facts: healthy({ services: sendingTo(8443) }),
      problem: { check: 'target-port-closed' },
      because: /declare no other port/,
    },
    {
      name: 'what only some of the Pods declare',
      facts: healthy({
        services: sendingTo('https'),
        pods: lists({ 'shop/policy': [pod(), declaring({ containerPort: 9443 })] }),
      }),
      because: /declare no other port/,
    },
    {
      name: 'UDP',
      facts: healthy({
        services: sendingTo('https'),
        pods: lists({ 'shop/policy': [declaring({ containerPort: 9443, protocol: 'UDP' })] }),
      }),
      because: /declare no other port/,
    },
  ],
  doesNotFit: [
    {
      name: 'the port named after webhooks has the certificate of another name',
      problem: { check: 'serving-certificate-name-mismatch' },
      facts: healthy({ services: sendingTo('webhook'), pods: behind(declaring(...proxied)) }),
    },
    ...['--webhook-port=8443', '--webhook-port=10080', '--v=4'].map((flag) => ({
      name: `a health endpoint responds, and ${flag} names no other declared port`,
      problem: { check: 'replica-speaks-plain-http' },
      facts: healthy({ services: sendingTo(10080), pods: behind(withHealth(flag)) }),
    })),
    {
      name: 'another server may respond, and no port is named after webhooks',
      problem: { check: 'serving-certificate-name-mismatch' },
      facts: healthy({
        services: sendingTo('https'),
        pods: behind(declaring({ name: 'https', containerPort: 8443 }, { name: 'api', containerPort: 9443 })),
      }),
    },
    {
      name: 'the port is declared, and no probe shows that another answers',
      facts: healthy({ services: sendingTo('metrics'), pods: behind(declaring(...two)) }),
      problem: { check: 'replica-not-listening' },
    },
    ...(
      [
        ['kube-rbac-proxy', 'I0101 1 kube-rbac-proxy.go:370] Listening securely on 0.0.0.0:8443'],
        ['kube-rbac-proxy', 'I0101 1 kube-rbac-proxy.go:370] Listening securely on 0.0.0.0:9000'],
        ['manager', 'INFO Serving metrics over https on :8444'],
        ['manager', 'INFO admission server listening on https://localhost:8443'],
      ] as const
    ).map(([container, line]) => ({
      name: `another server of the Pod listens: ${line}`,
      facts: besideProxy([container, line]),
      problem: { check: 'replica-not-listening' },
    })),
    {
      name: 'such a Pod is not ready',
      facts: healthy({ services: sendingTo('metrics'), pods: behind(readyBy(8443, two, 'False')) }),
      problem: { check: 'replica-not-listening' },
    },
    {
      name: 'the probe asks over HTTP',
      facts: healthy({ services: sendingTo('metrics'), pods: behind(readyBy(8443, two, 'True', 'HTTP')) }),
      problem: { check: 'replica-not-listening' },
    },
    {
      name: 'only one of two Pods responds there',
      facts: healthy({
        services: sendingTo('metrics'),
        pods: behind(readyBy(8443, two), readyBy('metrics', two)),
      }),
      problem: { check: 'replica-not-listening' },
    },
    { name: 'there are no Pods', facts: healthy({ services: sendingTo('https'), pods: lists({}) }) },
    { name: 'the Service does not exist', facts: healthy({ services: objects() }) },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
  ],
  isUnknown: [{ name: 'the Pods could not be read', facts: healthy({ pods: forbidden() }) }],
});
