import { servingCertificateNameMismatch } from '../../../../src/checks/tls/certificate/serving-certificate-name-mismatch.ts';
import { type Callout, calloutId } from '../../../../src/facts/callout.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Container } from '../../../../src/facts/objects/pod.ts';
import type { Service } from '../../../../src/facts/objects/service.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { aggregatedApi, healthy, lists, objects, pod, service, webhook } from '../../../support/snapshot.ts';
import { encoded } from '../bundles.ts';
import { faultTable, issued, kept, mounting, pem, probes, secret, served, trusted } from '../serving.ts';

const certificateFor = (names: string | readonly string[]) =>
  issued({ server: { names: [names].flat().map((dns) => ({ dns })) } });

/** The Pod policy-1 serves the certificate of a name. */
const serving = (
  dns: string | readonly string[],
  own: ReturnType<typeof pod>,
  others: readonly Service[] = [],
) => {
  const { presented, root } = certificateFor(dns);
  return served(root, [{ presented }], {
    services: objects(service(), ...others),
    pods: lists({ 'shop/policy': [own] }),
  });
};

const other = (app: string): Service => ({
  ...service(),
  metadata: { namespace: 'shop', name: 'web' },
  spec: { ...service().spec, selector: { app } },
});

const named = (value: string) =>
  pod({ spec: { containers: [{ name: 'webhook', env: [{ name: 'TLS_HOSTS', value }] }] } });

const withArgument = (argument: string) =>
  pod({ spec: { containers: [{ name: 'webhook', args: [argument] }] } });

/** Settings that have the name of a Service as value, and name something else. */
const unrelated: readonly { name: string; containers: readonly Container[] }[] = [
  { name: 'lease', containers: [{ name: 'webhook', args: ['--leader-election-id=web'] }] },
  ...['OTEL_SERVICE_NAME', 'DD_SERVICE', 'SERVICE_ACCOUNT', 'APP_HOST', 'COMPONENT'].map((name) => ({
    name,
    containers: [{ name: 'webhook', env: [{ name, value: 'web' }] }],
  })),
  ...['ISTIO_META_WORKLOAD_NAME', 'SERVICE_NAME'].map((name) => ({
    name: `${name} of a sidecar`,
    containers: [{ name: 'webhook' }, { name: 'proxy', env: [{ name, value: 'web' }] }],
  })),
];

/** A program whose argument names a file, with two mounted ConfigMaps, and a variable for its CA. */
const configured = (file: string, setting = 'config') =>
  pod({
    spec: {
      containers: [
        {
          name: 'webhook',
          args: [`--${setting}=${file}`],
          env: [{ name: 'SSL_CERT_FILE', value: '/ca/ca.crt' }],
          volumeMounts: [
            { name: 'config', mountPath: '/config.yaml' },
            { name: 'ca', mountPath: '/ca' },
          ],
        },
      ],
      volumes: ['config', 'ca'].map((name) => ({ name, configMap: { name: `policy-${name}` } })),
    },
  });

const twoServers = pod({
  spec: {
    containers: [
      { name: 'webhook', ports: [{ name: 'webhook', containerPort: 9443 }] },
      { name: 'proxy', ports: [{ name: 'https', containerPort: 8443 }] },
    ],
  },
});

const web = certificateFor('web.shop.svc');
const reversed = issued({}, 1);
/** A URL with an IP address, and the certificate of the Service. */
const byAddress = () => {
  const { presented, root } = issued();
  const callout = webhook({ client: { url: 'https://203.0.113.7/validate', caBundle: encoded(root) } });
  const [url] = probes([{ presented }]).replicas[0]?.dialogues ?? [];
  const found = probes([], { serverName: '203.0.113.7', ...(url && { url }) });
  return healthy({ callouts: [callout], probes: complete([[calloutId(callout), found]]) });
};

/** A Secret that cert-manager writes for Certificate policy-cert, with a certificate for another name. */
const ordered = (certificate: ReturnType<typeof certificateFor>) =>
  secret(
    { 'tls.crt': pem(certificate.presented) },
    {
      metadata: {
        namespace: 'shop',
        name: 'policy-tls',
        annotations: { 'cert-manager.io/certificate-name': 'policy-cert' },
      },
    },
  );
const short = certificateFor('policy.shop');

/** A webhook of a product, whose Pods serve the certificate of its Secret, which is for another name. */
const ofProduct = (name: string, stored: string, kept = short) => {
  const callout = webhook({
    webhook: name,
    client: { ...webhook().client, caBundle: encoded(kept.root) },
  });
  return healthy({
    callouts: [callout],
    probes: complete([[calloutId(callout), probes([{ presented: kept.presented }])]]),
    secrets: objects(
      secret({ 'tls.crt': pem(kept.presented) }, { metadata: { namespace: 'shop', name: stored } }),
    ),
  });
};

/** The certificate that an API server without a certificate file generates, served by a webhook or an APIService. */
const generated = (callout: Callout, signer = 'localhost-ca@1795973467') => {
  const { presented } = issued({
    root: { subject: { cn: signer } },
    server: { subject: { cn: 'localhost@1795973467' }, names: [{ dns: 'localhost' }] },
  });
  return healthy({ callouts: [callout], probes: complete([[calloutId(callout), probes([{ presented }])]]) });
};

const table = faultTable(certificateFor('policy.shop.svc.cluster.local'));

describeCheck(servingCertificateNameMismatch, {
  ...table,
  reports: [
    ...table.reports,
    {
      name: 'a Pod that serves the certificate of a Service that does not select it',
      facts: serving('web.shop.svc', pod(), [other('web')]),
      expect: {
        messageId: 'strange-pods',
        data: { service: 'shop/policy', pod: 'Pod policy-1', other: 'shop/web', host: 'policy.shop.svc' },
      },
    },
    {
      name: 'a Pod that serves the certificate of another Service that selects it',
      facts: serving('web.shop.svc', pod(), [other('policy')]),
      expect: {
        messageId: 'same-pods',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          other: 'shop/web',
          host: 'policy.shop.svc',
        },
      },
    },
    {
      name: 'the port of another container, beside the one with the port of the webhook',
      facts: serving('localhost', twoServers),
      expect: {
        messageId: 'other-container',
        data: {
          service: 'shop/policy',
          port: 8443,
          container: 'proxy',
          names: 'localhost',
          host: 'policy.shop.svc',
          owner: 'webhook',
          declared: 9443,
        },
      },
    },
    {
      name: 'a variable that sets the names of the certificate',
      facts: serving('policy.default.svc', named('policy,policy.default.svc')),
      expect: {
        messageId: 'setting',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          names: 'policy.default.svc',
          host: 'policy.shop.svc',
          setting: 'TLS_HOSTS',
        },
        names: { setting: 'TLS_HOSTS' },
      },
    },
    {
      name: 'a variable with the name of another Service, from which the program derives the names',
      facts: serving(['web', 'web.shop.svc'], named('web')),
      expect: {
        messageId: 'named-service',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          names: 'web and web.shop.svc',
          host: 'policy.shop.svc',
          setting: 'TLS_HOSTS',
          named: 'web',
        },
        names: { setting: 'TLS_HOSTS' },
      },
    },
    ...unrelated.map(({ name, containers }) => ({
      name: `no setting that only has the name of the Service as value: ${name}`,
      facts: serving(['web', 'web.shop.svc'], pod({ spec: { containers } })),
      expect: { messageId: 'all' },
    })),
    {
      name: 'a variable of the container with the port of the webhook, beside another one',
      facts: serving(
        ['web', 'web.shop.svc'],
        pod({
          spec: {
            containers: [
              { name: 'proxy', env: [{ name: 'UPSTREAM_HOST', value: 'web' }] },
              {
                name: 'webhook',
                ports: [{ name: 'webhook', containerPort: 8443 }],
                args: ['--service-name=web'],
              },
            ],
          },
        }),
      ),
      expect: { messageId: 'named-service', names: { setting: 'service-name' } },
    },
    {
      name: 'an argument with the name of another Service, and a certificate with its complete name alone',
      facts: serving('web.shop.svc', withArgument('--cert-service-name=web')),
      expect: {
        messageId: 'named-service',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          names: 'web.shop.svc',
          host: 'policy.shop.svc',
          setting: 'cert-service-name',
          named: 'web',
        },
      },
    },
    {
      name: 'the variable in which the library of Knative has the name of the Service',
      facts: serving(
        ['web', 'web.shop.svc'],
        pod({ spec: { containers: [{ name: 'webhook', env: [{ name: 'WEBHOOK_NAME', value: 'web' }] }] } }),
      ),
      expect: { messageId: 'named-service', names: { setting: 'WEBHOOK_NAME' } },
    },
    ...['--service-secret-name=web', '--leader-election-name=web', '--service-name=other', '--name=web'].map(
      (argument) => ({
        name: `no argument ${argument}, which does not name the Service in the certificate`,
        facts: serving('web.shop.svc', withArgument(argument)),
        expect: { messageId: 'all' as const },
      }),
    ),
    {
      name: 'a variable with one name, which is the only one of the certificate',
      facts: serving('web', named('web')),
      expect: { messageId: 'setting' },
    },
    {
      name: 'no variable, if it names the right Service, and the namespace is wrong',
      facts: serving(['policy', 'policy.default.svc'], named('policy')),
      expect: { messageId: 'all' },
    },
    {
      name: 'a variable with other names',
      facts: serving('policy.default.svc', named('policy.shop.svc')),
      expect: { messageId: 'all' },
    },
    {
      name: 'a program with a configuration file from a ConfigMap',
      facts: serving('policy.default.svc', configured('/config.yaml')),
      expect: {
        messageId: 'file',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          names: 'policy.default.svc',
          host: 'policy.shop.svc',
          file: 'policy-config',
        },
        names: { variables: 'configmap/policy-config' },
      },
    },
    {
      name: 'a program with a configuration file from its image',
      facts: serving('policy.default.svc', configured('/etc/config.yaml')),
      expect: { messageId: 'all' },
    },
    {
      name: 'a program with a CA from a ConfigMap',
      facts: serving('policy.default.svc', configured('/ca/ca.crt', 'client-ca-file')),
      expect: { messageId: 'all' },
    },
    {
      name: 'a program whose setting for the configuration of TLS names a CA',
      facts: serving('policy.default.svc', configured('/ca/ca.crt', 'tls-config-ca')),
      expect: { messageId: 'all' },
    },
    {
      name: 'a chain that begins with the certificate of the CA',
      facts: served(reversed.root, [{ presented: reversed.presented.toReversed() }]),
      expect: {
        messageId: 'order',
        data: { certificate: 'The certificate that Pod policy-1 serves', host: 'policy.shop.svc' },
      },
    },
    {
      name: 'the certificate of the CA alone',
      facts: served(reversed.root, [{ presented: reversed.presented.slice(-1) }]),
      expect: {
        messageId: 'authority',
        data: { certificate: 'The certificate that Pod policy-1 serves', host: 'policy.shop.svc' },
        names: { secret: undefined },
      },
    },
    {
      name: 'the certificate of the CA alone, in the Secret that the Pods mount',
      facts: kept(reversed.root, secret({ 'tls.crt': pem(reversed.presented.slice(-1)) })),
      expect: {
        messageId: 'authority',
        data: { certificate: 'The certificate in Secret shop/policy-tls', host: 'policy.shop.svc' },
        names: { secret: 'policy-tls' },
      },
    },
    {
      name: 'the serving certificate of a Secret, not its CA, whatever the keys are called',
      facts: kept(web.root, secret({ 'caCert.pem': web.root, 'serverCert.pem': pem(web.presented) })),
      expect: { messageId: 'all' },
    },
    {
      name: 'the Certificate of cert-manager that lacks the name',
      facts: kept(short.root, ordered(short)),
      expect: {
        messageId: 'cert-manager',
        data: {
          certificate: 'The certificate in Secret shop/policy-tls',
          names: 'policy.shop',
          host: 'policy.shop.svc',
          order: 'policy-cert',
        },
        names: { certificate: 'policy-cert' },
      },
    },
    {
      name: 'the certificate of a Secret, which the Pods serve',
      facts: served(short.root, [{ presented: short.presented }], {
        pods: lists({ 'shop/policy': [mounting()] }),
        secrets: objects(secret({ 'tls.crt': pem(short.presented) })),
      }),
      expect: {
        messageId: 'secret',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          names: 'policy.shop',
          host: 'policy.shop.svc',
          kept: 'shop/policy-tls',
        },
        names: { secret: 'policy-tls' },
      },
    },
    {
      name: 'the certificate of a Secret that the program creates, without a mount',
      facts: ofProduct('validate.kyverno.svc-fail', 'policy.shop.svc.kyverno-tls-pair'),
      expect: {
        messageId: 'renewed',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          names: 'policy.shop',
          host: 'policy.shop.svc',
          renewer: "Kyverno's admission controller",
          kept: 'shop/policy.shop.svc.kyverno-tls-pair',
        },
        names: { secret: 'policy.shop.svc.kyverno-tls-pair' },
      },
    },
    {
      name: 'the certificate of a Secret that the program fills but does not create',
      facts: ofProduct('policy.sigstore.dev', 'webhook-certs'),
      expect: { messageId: 'secret', names: { secret: 'webhook-certs' } },
    },
    {
      name: 'the certificate that such a program issues for a Service that was renamed',
      facts: ofProduct('policy.sigstore.dev', 'webhook-certs', certificateFor('webhook.shop.svc')),
      expect: {
        messageId: 'renamed',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          host: 'policy.shop.svc',
          other: 'shop/webhook',
          renewer: "Sigstore's policy controller",
        },
        names: { former: 'webhook', port: '443', target: '8443' },
      },
    },
    {
      name: 'the certificate that such a program issues for the Service in its variable',
      facts: {
        ...ofProduct('policy.sigstore.dev', 'webhook-certs', certificateFor('webhook.shop.svc')),
        pods: lists({
          'shop/policy': [
            pod({
              spec: { containers: [{ name: 'webhook', env: [{ name: 'WEBHOOK_NAME', value: 'webhook' }] }] },
            }),
          ],
        }),
      },
      expect: { messageId: 'named-filled', names: { setting: 'WEBHOOK_NAME', secret: 'webhook-certs' } },
    },
    {
      name: 'no renamed Service, if the certificate is for another namespace',
      facts: ofProduct('policy.sigstore.dev', 'webhook-certs', certificateFor('webhook.other.svc')),
      expect: { messageId: 'secret' },
    },
    {
      name: 'no renamed Service, if no program is known to issue the certificate',
      facts: ofProduct('policy.example.com', 'webhook-certs', certificateFor('webhook.shop.svc')),
      expect: { messageId: 'all' },
    },
    {
      name: 'the certificate of a Secret that another Deployment writes when it starts',
      facts: ofProduct('vscaledobject.kb.io', 'kedaorg-certs'),
      expect: { messageId: 'secret', names: { secret: 'kedaorg-certs' } },
    },
    {
      name: 'no Certificate, if the Pods serve another certificate than that in the Secret',
      facts: served(short.root, [{ presented: short.presented }], {
        pods: lists({ 'shop/policy': [mounting()] }),
        secrets: objects(ordered(certificateFor('other.shop'))),
      }),
      expect: { messageId: 'all' },
    },
    {
      name: 'an aggregated API server without a certificate file',
      facts: generated(aggregatedApi()),
      expect: {
        messageId: 'generated',
        data: {
          certificate: 'The certificate that Pod policy-1 serves',
          names: 'localhost',
          host: 'policy.shop.svc',
        },
      },
    },
    {
      name: 'an aggregated API server that needed seconds to generate its key',
      facts: generated(aggregatedApi(), 'localhost-ca@1795973464'),
      expect: { messageId: 'generated' },
    },
    {
      name: 'a certificate that the generated CA of another host signed',
      facts: generated(aggregatedApi(), 'ledger-ca@1795973467'),
      expect: { messageId: 'all' },
    },
    {
      name: 'the generated certificate of a webhook, whose Service may lead to the port of metrics',
      facts: generated(trusted('')),
      expect: { messageId: 'all' },
    },
    {
      name: 'a certificate for localhost of another CA',
      facts: generated(aggregatedApi(), 'shop-ca'),
      expect: { messageId: 'all' },
    },
    {
      name: 'the address of a URL',
      facts: byAddress(),
      expect: {
        messageId: 'address',
        data: {
          certificate: 'The certificate served at the URL',
          names: 'policy.shop.svc',
          host: '203.0.113.7',
        },
      },
    },
    {
      name: 'the certificate of a Service that does not exist',
      facts: serving('web.shop.svc', pod()),
      expect: { messageId: 'all' },
    },
  ],
});
