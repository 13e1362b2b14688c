import { pemCertificates } from '../../../src/apiserver/certificate/parse/pem.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { CertificateSecret } from '../../../src/facts/objects/certificate-secret.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import { injectCaBundle } from '../../../src/remedies/certificate/inject-ca-bundle.ts';
import { authority, issue } from '../../support/certificates.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { aggregatedApi, healthy, lists, objects, pod, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const at = { notBefore: new Date('2025-12-01T00:00:00Z'), days: 365 };
const old = await authority({ cn: 'old', ...at });
const ca = await authority({ cn: 'new', ...at });
const serving = await issue(ca, { dns: ['policy.shop.svc'], ...at });
const namedLikeCa = await issue(ca, { cn: 'new', dns: ['policy.shop.svc'], ...at });
const misnamed = await issue(ca, { dns: ['policy.other.svc'], ...at });
const servedYet = await issue(old, { dns: ['policy.shop.svc'], ...at });
const expired = await authority({ cn: 'new', notBefore: new Date('2020-01-01T00:00:00Z'), days: 30 });

const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
const expiredAndInvalid = [
  ['has expired', base64(expired.cert)],
  ['is no certificate', base64('hello')],
] as const;
const secret = (certificates: Readonly<Record<string, string>>, name = 'policy-tls'): CertificateSecret => ({
  metadata: { name, namespace: 'shop' },
  keys: Object.keys(certificates),
  certificates,
});
const pods = lists({
  'shop/policy': [
    pod({
      spec: {
        containers: [{ name: 'webhook' }],
        volumes: [{ name: 'tls', secret: { secretName: 'policy-tls' } }],
      },
    }),
  ],
});
const client = { service: { namespace: 'shop', name: 'policy', port: 443 } };
const stale = webhook({ client: { ...client, caBundle: base64(old.cert) } });
const withoutCertManager = complete([['served', { resources: [], stale: [], kinds: [] } as never]]);
/** cert-manager's injector copies this CA from Secret `made`, which it may read. */
const injecting = (
  copied: string,
  over: Parameters<typeof healthy>[0] = {},
  annotations: Readonly<Record<string, string>> = { 'cert-manager.io/allow-direct-injection': 'true' },
  caBundle = base64(old.cert),
) => {
  const made = secret({ 'ca.crt': copied, 'tls.crt': copied }, 'made');
  return healthy({
    callouts: [
      webhook({
        client: { ...client, caBundle },
        metadata: { name: 'policy', annotations: { 'cert-manager.io/inject-ca-from-secret': 'shop/made' } },
      }),
    ],
    pods,
    secrets: objects(secret({ 'ca.crt': ca.cert, 'tls.crt': serving.cert }), {
      ...made,
      metadata: { ...made.metadata, annotations },
    }),
    probes: presenting(serving.cert),
    ...over,
  });
};
/** Another webhook of the same Service, with the current CA. */
const beside = (over: object) =>
  webhook({ webhook: 'other.example.com', client: { ...client, caBundle: base64(ca.cert) }, ...over });
const presenting = (pem: string) =>
  complete<CalloutProbes>([
    [
      'validating/policy/policy.example.com',
      {
        level: 'connect',
        serverName: 'policy.shop.svc',
        notTried: [],
        replicas: [
          {
            pod: 'policy-1',
            port: 8443,
            ready: true,
            notTried: [],
            dialogues: [
              {
                way: 'port-forward',
                reviews: [],
                handshake: {
                  protocol: 'TLSv1.3',
                  cipher: 'TLS_AES_128_GCM_SHA256',
                  presented: pemCertificates(pem),
                  milliseconds: 3,
                },
              },
            ],
          },
        ],
      },
    ],
  ]);
const edit = (expected: string | undefined) => ({
  object: { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' },
  operation: 'patch' as const,
  path: '/webhooks/0/clientConfig/caBundle',
  expected,
  after: base64(ca.cert),
});
const whole = secret({ 'ca.crt': ca.cert, 'tls.crt': serving.cert });

describeRemedy(injectCaBundle, {
  plans: [
    {
      name: 'the CA of the Secret, for the certificate that the replicas serve',
      facts: healthy({ callouts: [stale], pods, secrets: objects(whole), probes: presenting(serving.cert) }),
      expect: { edits: [edit(base64(old.cert))], fixes: ['validating/policy/policy.example.com'], warns: [] },
    },
    {
      name: 'the CA that the Pods serve, rather than the caBundle of a perhaps newer installation',
      facts: healthy({
        callouts: [stale, beside({ configuration: 'newer', kind: 'mutating' })],
        secrets: objects<CertificateSecret>(),
        probes: presenting(`${serving.cert}\n${ca.cert}`),
      }),
      expect: { edits: [edit(base64(old.cert))] },
    },
    {
      name: 'the CA of the Secret, for as long as Argo CD does not restore the declared one',
      facts: healthy({
        callouts: [
          {
            ...stale,
            metadata: {
              ...stale.metadata,
              managedFields: [
                {
                  manager: 'argocd-controller',
                  operation: 'Apply',
                  fieldsV1: {
                    'f:webhooks': {
                      'k:{"name":"policy.example.com"}': { 'f:clientConfig': { 'f:caBundle': {} } },
                    },
                  },
                },
              ],
            },
          },
        ],
        pods,
        secrets: objects(whole),
        probes: presenting(serving.cert),
      }),
      expect: {
        edits: [edit(base64(old.cert))],
        warns: [],
        unsure: 'argocd-controller restores the declared caBundle',
      },
    },
    {
      name: 'the caBundle of another webhook of the configuration',
      facts: healthy({ callouts: [webhook({ client }), beside({})], probes: presenting(serving.cert) }),
      problem: { check: 'ca-bundle-empty' },
      expect: { edits: [edit(undefined)], warns: [] },
    },
    {
      name: 'the caBundle of another configuration, which may be the only one in use',
      facts: healthy({
        callouts: [stale, beside({ configuration: 'newer', kind: 'mutating' })],
        probes: presenting(serving.cert),
      }),
      expect: {
        edits: [edit(base64(old.cert))],
        warns: [],
        unsure: 'this configuration may remain from an earlier installation',
      },
    },
    {
      name: 'the serving certificate itself, of a Secret without a CA, and reports it',
      facts: healthy({
        callouts: [stale],
        pods,
        secrets: objects(secret({ 'tls.crt': serving.cert })),
        probes: presenting(serving.cert),
      }),
      expect: {
        edits: [{ ...edit(base64(old.cert)), after: base64(serving.cert) }],
        warns: [/contains no CA/],
      },
    },
    {
      name: 'the CA of the Secret, for the certificate in the Secret, and reports it',
      facts: healthy({ callouts: [webhook({ client })], pods, secrets: objects(whole) }),
      problem: { check: 'ca-bundle-empty' },
      expect: { edits: [edit(undefined)], warns: [/certificates that the Pods serve are unknown/] },
    },
    {
      name: 'the CA of the Secret, of no use while no Pod is Ready',
      facts: healthy({
        callouts: [webhook({ client })],
        pods: lists({
          'shop/policy': (pods.get('shop/policy') ?? []).map((one) => ({
            ...one,
            status: { ...one.status, conditions: [{ type: 'Ready', status: 'False' }] },
          })),
        }),
        secrets: objects(whole),
      }),
      problem: { check: 'ca-bundle-empty' },
      expect: { edits: [edit(undefined)], warns: [/unknown/], unsure: 'the Pods are not Ready' },
    },
    {
      name: 'both CAs, while the replicas have not taken up the renewed certificate',
      facts: healthy({
        callouts: [stale],
        pods,
        secrets: objects(whole),
        probes: presenting(servedYet.cert),
      }),
      problem: { check: 'secret-ca-differs-from-ca-bundle' },
      expect: {
        edits: [{ ...edit(base64(old.cert)), after: base64(`${old.cert.trimEnd()}\n${ca.cert}`) }],
        warns: [],
      },
    },
    {
      name: 'the CA of the served certificate, although the Secret has a certificate for another name',
      facts: healthy({
        callouts: [stale],
        pods,
        secrets: objects(secret({ 'ca.crt': ca.cert, 'tls.crt': misnamed.cert })),
        probes: presenting(serving.cert),
      }),
      expect: { edits: [edit(base64(old.cert))], warns: [] },
    },
    ...expiredAndInvalid.map(([name, caBundle]) => ({
      name: `the CA of the Secret in the place of one that ${name}`,
      facts: healthy({
        callouts: [webhook({ client: { ...client, caBundle } })],
        pods,
        secrets: objects(whole),
        probes: presenting(serving.cert),
      }),
      expect: { edits: [edit(caBundle)], warns: [] },
    })),
    {
      name: 'the present CA, which was encoded twice',
      facts: healthy({
        callouts: [webhook({ client: { ...client, caBundle: base64(base64(ca.cert)) } })],
        secrets: forbidden(),
        probes: presenting(serving.cert),
      }),
      problem: { check: 'ca-bundle-invalid' },
      expect: {
        edits: [edit(base64(base64(ca.cert)))],
        warns: [],
        summary: /is the decoded previous caBundle$/,
      },
    },
    {
      name: 'the CA that a Pod serves with its certificate, if no Secret contains it',
      facts: healthy({
        callouts: [stale],
        secrets: forbidden(),
        probes: presenting(`${serving.cert.trimEnd()}\n${ca.cert}`),
      }),
      expect: { edits: [edit(base64(old.cert))], warns: [/No Secret that was read contains this CA/] },
    },
    {
      name: 'the CA in the Secret that the program of a product fills, without a mount',
      facts: healthy({
        callouts: [{ ...stale, webhook: 'policy.tekton.dev' }],
        secrets: objects(
          secret({ 'ca-cert.pem': ca.cert, 'server-cert.pem': namedLikeCa.cert }, 'webhook-certs'),
        ),
        probes: complete([
          ['validating/policy/policy.tekton.dev', ...[...presenting(namedLikeCa.cert).all()]],
        ] as never),
      }),
      expect: {
        edits: [edit(base64(old.cert))],
        summary: /is the ca-cert\.pem of Secret shop\/webhook-certs$/,
      },
    },
    {
      name: "the CA of the injector's source, and who writes it",
      facts: healthy({
        callouts: [
          webhook({
            client,
            metadata: { name: 'policy', annotations: { 'cert-manager.io/inject-ca-from': 'shop/serving' } },
          }),
        ],
        secrets: objects(secret({ 'ca.crt': ca.cert, 'tls.crt': serving.cert }, 'made')),
        certificates: lists({
          shop: [{ metadata: { name: 'serving', namespace: 'shop' }, spec: { secretName: 'made' } }],
        }),
      }),
      expect: {
        edits: [edit(undefined)],
        warns: [/serve are unknown/, /caBundle is written by cert-manager's cainjector\. Permanent change:/],
      },
    },
    {
      name: 'the CA of the mounted Secret, while an injector copies that of another one',
      facts: injecting(old.cert),
      expect: {
        edits: [edit(base64(old.cert))],
        warns: [/written by cert-manager's cainjector/],
        unsure: "cert-manager's cainjector copies the CA of Secret shop/made again",
      },
    },
    ...(
      [
        ['copies the same CA from another Secret', injecting(ca.cert)],
        ['may not read the other Secret', injecting(old.cert, {}, {})],
        ['is not installed', injecting(old.cert, { served: withoutCertManager })],
      ] as const
    ).map(([what, facts]) => ({
      name: `the CA of the mounted Secret, while an injector ${what}`,
      facts,
      expect: { edits: [edit(base64(old.cert))], warns: [/written by cert-manager's cainjector/] },
    })),
    {
      name: 'the caBundle that was encoded twice, of the CA that the injector copies',
      facts: injecting(ca.cert, {}, undefined, base64(base64(ca.cert))),
      problem: { check: 'ca-bundle-invalid' },
      expect: { edits: [edit(base64(base64(ca.cert)))], warns: [/written by cert-manager's cainjector/] },
    },
  ],
  refuses: [
    {
      name: 'a CA that did not sign what is served',
      facts: healthy({
        callouts: [stale],
        pods,
        secrets: objects(secret({ 'ca.crt': old.cert })),
        probes: presenting(serving.cert),
      }),
      because: /the certificate of policy-1 is not accepted: .*unknown authority/,
    },
    {
      name: 'the right CA for the wrong name',
      facts: healthy({
        callouts: [stale],
        pods,
        secrets: objects(secret({ 'ca.crt': ca.cert, 'tls.crt': misnamed.cert })),
      }),
      because: /valid for policy\.other\.svc, not policy\.shop\.svc/,
    },
    {
      name: 'a CA if the served certificate is unknown',
      facts: healthy({ callouts: [stale], pods, secrets: objects(secret({ 'ca.crt': ca.cert })) }),
      because: /the certificates that the Pods serve are unknown/,
    },
  ],
  doesNotFit: [
    {
      name: 'the bundle is the CA already',
      facts: healthy({
        callouts: [webhook({ client: { ...client, caBundle: base64(ca.cert) } })],
        pods,
        secrets: objects(whole),
      }),
    },
    {
      name: 'the Pod serves no CA',
      facts: healthy({ callouts: [stale], secrets: forbidden(), probes: presenting(serving.cert) }),
    },
    {
      name: 'the Pod serves no CA, but a certificate with the name of its CA',
      facts: healthy({ callouts: [stale], secrets: forbidden(), probes: presenting(namedLikeCa.cert) }),
    },
    { name: 'no CA is known', facts: healthy({ callouts: [stale], pods, secrets: forbidden() }) },
    {
      name: 'nothing is verified',
      facts: healthy({ callouts: [aggregatedApi({ insecureSkipTLSVerify: true })] }),
    },
  ],
});
