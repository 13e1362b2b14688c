import { servingSecretIncomplete } from '../../../../src/checks/tls/secret/serving-secret-incomplete.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects, webhook, workload } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { ago } from '../../replica/replicas.ts';
import { issued, kept, mounting, pem, secret } from '../serving.ts';
import { inShop } from '../writers.ts';

const good = issued();
const base = mounting();
const both = {
  ...base,
  spec: {
    ...base.spec,
    containers: base.spec.containers.map((container) => ({
      ...container,
      args: ['--cert-dir=/certs', '--admin-cert-dir=/admin'],
      volumeMounts: [...(container.volumeMounts ?? []), { name: 'admin', mountPath: '/admin' }],
    })),
    volumes: [...(base.spec.volumes ?? []), { name: 'admin', secret: { secretName: 'admin-tls' } }],
  },
};

const { namespace, name } = base.metadata;
const logged = (line: string) => complete([[`${namespace}/${name}/${base.spec.containers[0]?.name}`, line]]);
/** An empty Secret, whose certificate the log misses, beside Deployments with these names. */
const unfilled = (...names: readonly string[]) =>
  kept(good.root, secret({}, { keys: [] }), {
    pods: lists({ 'shop/policy': [mounting(['--cert-dir=/certs'])] }),
    logs: logged('stat /certs/tls.crt: no such file or directory'),
    workloads: inShop(...names.map((one) => workload({ metadata: { name: one }, spec: labelled(one) }))),
  });
/** The same without other workloads, and a program with this setting. */
const withSetting = (...args: readonly string[]) =>
  kept(good.root, secret({}, { keys: [] }), {
    pods: lists({ 'shop/policy': [mounting(['--cert-dir=/certs', ...args])] }),
    logs: logged('stat /certs/tls.crt: no such file or directory'),
  });
/** The empty Secret of a product that fills it, and Pods of it that have run for so many seconds. */
const ofGatekeeper = (seconds: number) => {
  const startedAt = ago(seconds);
  const status = {
    phase: 'Running' as const,
    containerStatuses: [
      { name: 'webhook', ready: false, restartCount: 0, state: { running: { startedAt } } },
    ],
  };
  return kept(good.root, secret({}, { keys: [] }), {
    callouts: [webhook({ webhook: 'validation.gatekeeper.sh' })],
    pods: lists({ 'shop/policy': [{ ...base, status }] }),
  });
};
/** cert-manager's Certificate for a Secret. */
const certificateOf = (secretName: string) => ({
  metadata: { namespace: 'shop', name: 'serving' },
  spec: { secretName, issuerRef: { name: 'ca' } },
});
const labelled = (app: string) => ({
  replicas: 1,
  template: { metadata: { labels: { app } }, spec: { containers: [{ name: app, image: `${app}:1` }] } },
});
const held = { 'tls.crt': pem(good.presented) };

describeCheck(servingSecretIncomplete, {
  reports: [
    {
      name: 'no certificate',
      facts: kept(good.root, secret({}, { keys: ['tls.key'] })),
      expect: { messageId: 'noCertificate', data: { secret: 'shop/policy-tls', keys: 'tls.key' } },
    },
    {
      name: 'an empty Secret that running Pods mount',
      facts: kept(good.root, secret({}, { keys: [] })),
      expect: { messageId: 'empty', data: { secret: 'shop/policy-tls' } },
    },
    {
      name: 'an empty Secret that the product has not filled a minute after its start',
      facts: ofGatekeeper(70),
      expect: { messageId: 'empty', data: { secret: 'shop/policy-tls' } },
    },
    {
      name: 'no private key',
      facts: kept(good.root, secret(held, { keys: ['tls.crt'] })),
      expect: { messageId: 'noKey' },
    },
    {
      name: 'another name than the program reads by default, as its log says',
      facts: kept(good.root, secret(held), {
        pods: lists({ 'shop/policy': [mounting(['--cert-dir=/certs'])] }),
        logs: logged('open /certs/serverCert.pem: no such file or directory'),
      }),
      expect: {
        messageId: 'noFile',
        data: { secret: 'shop/policy-tls', key: 'serverCert.pem', keys: 'tls.crt, tls.key' },
      },
    },
    {
      name: 'a key of another name, which an argument has, as of ingress-nginx with the Secret of its Job',
      facts: kept(good.root, secret({ cert: pem(good.presented) }, { keys: ['ca', 'cert', 'key'] }), {
        pods: lists({ 'shop/policy': [mounting(['--validating-webhook-certificate=/certs/tls.crt'])] }),
        logs: logged(
          'E1130 13:22:31.078344 1 ssl.go:514] unexpected error: lstat /certs/tls.crt: no such file or directory',
        ),
      }),
      expect: {
        messageId: 'misnamed',
        data: {
          secret: 'shop/policy-tls',
          key: 'tls.crt',
          keys: 'ca, cert, key',
          setting: '--validating-webhook-certificate',
        },
      },
    },
    ...['--metrics-cert-file=/metrics/tls.crt', '--client-cert=/clients/tls.crt'].map((setting) => ({
      name: `a key that a setting of another folder does not name: ${setting}`,
      facts: kept(good.root, secret({ cert: pem(good.presented) }, { keys: ['ca', 'cert', 'key'] }), {
        pods: lists({ 'shop/policy': [mounting([setting, '--cert-dir=/certs'])] }),
        logs: logged('open /certs/tls.crt: no such file or directory'),
      }),
      expect: { messageId: 'noFile' as const },
    })),
    {
      name: 'the same of a Secret without any certificate, which nothing has filled',
      facts: kept(good.root, secret({}, { keys: ['config'] }), {
        pods: lists({ 'shop/policy': [mounting(['--validating-webhook-certificate=/certs/tls.crt'])] }),
        logs: logged('open /certs/tls.crt: no such file or directory'),
      }),
      expect: { messageId: 'noFile' },
    },
    {
      name: 'a key that the program looks for through the API, as its log says',
      facts: kept(good.root, secret({}, { keys: [] }), {
        logs: logged(
          '"Server key missing","error":"secret \\"policy-tls\\" is missing \\"server-key.pem\\" key"',
        ),
      }),
      expect: {
        messageId: 'noFile',
        data: { secret: 'shop/policy-tls', key: 'server-key.pem', keys: 'none' },
      },
    },
    {
      name: 'an empty Secret, and a certificate program of the installation that runs',
      facts: unfilled('policy-cert-controller'),
      expect: {
        messageId: 'unfilled',
        data: {
          secret: 'shop/policy-tls',
          key: 'tls.crt',
          keys: 'none',
          writer: 'Deployment shop/policy-cert-controller',
        },
        names: { affected: 'deployment/policy-cert-controller' },
      },
    },
    ...['--disable-cert-rotation', '--disable-cert-rotation=true', '--enable-cert-rotation=false'].map(
      (argument) => ({
        name: `an empty Secret, and ${argument}, with which the program does not fill it`,
        facts: withSetting(argument),
        expect: {
          messageId: 'unwritten' as const,
          data: { secret: 'shop/policy-tls', key: 'tls.crt', setting: argument },
        },
      }),
    ),
    ...['--disable-cert-rotation=false', '--enable-cert-rotation', '--disable-certificate-checks'].map(
      (argument) => ({
        name: `an empty Secret, and ${argument}, with which the program may fill it`,
        facts: withSetting(argument),
        expect: { messageId: 'noFile' as const },
      }),
    ),
    {
      name: 'an empty Secret of a Certificate, beside the setting that leaves it to cert-manager',
      facts: {
        ...withSetting('--disable-cert-rotation'),
        certificates: inShop(certificateOf('policy-tls')),
      },
      expect: {
        messageId: 'unissued',
        data: { secret: 'shop/policy-tls', key: 'tls.crt', certificate: 'serving' },
        names: { certificate: 'serving' },
      },
    },
    {
      name: 'an empty Secret, and the Certificate of another Secret',
      facts: {
        ...withSetting('--disable-cert-rotation'),
        certificates: inShop(certificateOf('other-tls')),
      },
      expect: { messageId: 'unwritten' },
    },
    {
      name: 'an empty Secret, and the setting of a sidecar, which does not mount it',
      facts: {
        ...withSetting(),
        pods: lists({
          'shop/policy': [
            (() => {
              const { spec, ...pod } = mounting(['--cert-dir=/certs']);
              const proxy = { name: 'proxy', args: ['--enable-cert-rotation=false'] };
              return { ...pod, spec: { ...spec, containers: [...spec.containers, proxy] } };
            })(),
          ],
        }),
      },
      expect: { messageId: 'noFile' },
    },
    ...(
      [
        ['of another installation', ['ledger-cert-controller']],
        ['beside a second one', ['policy-cert-controller', 'policy-certgen']],
        ['that does not create certificates', ['policy-dashboard']],
        ['and no other workload', []],
      ] as const
    ).map(([what, names]) => ({
      name: `an empty Secret, and a program ${what}`,
      facts: unfilled(...names),
      expect: { messageId: 'noFile', data: { secret: 'shop/policy-tls', key: 'tls.crt', keys: 'none' } },
    })),
    {
      name: 'a Secret that only its name identifies, as the process reads no certificate from it',
      facts: kept(good.root, secret({}, { type: 'Opaque', keys: ['tls.crt'] }), {
        pods: lists({ 'shop/policy': [mounting([])] }),
        logs: logged('tls: failed to find any PEM data in certificate input'),
      }),
      expect: { messageId: 'noPem', data: { secret: 'shop/policy-tls', key: 'tls.crt' } },
    },
    {
      name: 'a certificate in tls.key, and none in tls.crt',
      facts: kept(good.root, secret({ 'tls.key': pem(good.presented) }, { keys: ['tls.crt', 'tls.key'] })),
      expect: { messageId: 'exchanged', data: { secret: 'shop/policy-tls' } },
    },
    {
      name: 'another name than the argument says',
      facts: kept(good.root, secret(held), {
        pods: lists({
          'shop/policy': [
            mounting(['--tls-cert-file=/certs/cert.pem', '--tls-private-key-file', '/certs/tls.key']),
          ],
        }),
      }),
      expect: {
        messageId: 'misnamed',
        data: {
          secret: 'shop/policy-tls',
          key: 'cert.pem',
          keys: 'tls.crt, tls.key',
          setting: '--tls-cert-file',
        },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'a key of another Secret in the log',
      facts: kept(good.root, secret(held), {
        logs: logged('secret "shop/other" is missing "server-key.pem" key'),
      }),
    },
    {
      name: 'a certificate in both files',
      facts: kept(good.root, secret({ 'tls.crt': pem(good.presented), 'tls.key': pem(good.presented) })),
      outcome: 'pass',
    },
    {
      name: 'one of two Secrets has a certificate for another name',
      facts: kept(good.root, secret(held), {
        pods: lists({ 'shop/policy': [both] }),
        secrets: objects(
          secret(held),
          secret(
            { 'tls.crt': pem(issued({ server: { names: [{ dns: 'admin' }] } }).presented) },
            { metadata: { namespace: 'shop', name: 'admin-tls' } },
          ),
        ),
      }),
      outcome: 'pass',
    },
    { name: 'both are there', facts: kept(good.root, secret(held)), outcome: 'pass' },
    {
      name: 'it holds a key store, which is not opened',
      facts: kept(good.root, secret({}, { keys: ['keystore.p12', 'password'], type: 'Opaque' })),
      outcome: 'pass',
    },
    {
      name: 'an empty Secret, shortly after the start of the product that fills it',
      facts: ofGatekeeper(10),
      outcome: 'pass',
    },
    {
      name: 'an empty Secret whose program has not run yet',
      facts: kept(good.root, secret({}, { keys: [] }), {
        pods: lists({ 'shop/policy': [{ ...mounting(), status: { phase: 'Pending' } }] }),
      }),
      outcome: 'pass',
    },
    {
      name: 'a file of another folder is missing',
      facts: kept(good.root, secret(held), {
        pods: lists({ 'shop/policy': [mounting(['--cert-dir=/certs'])] }),
        logs: logged('open /etc/policy/rules.pem: no such file or directory'),
      }),
      outcome: 'pass',
    },
    {
      name: 'an optional file is missing, as a warning says',
      facts: kept(good.root, secret(held), {
        pods: lists({ 'shop/policy': [mounting(['--cert-dir=/certs'])] }),
        logs: logged('level=warn msg="no client CA" err="open /certs/tls-ca.crt: no such file or directory"'),
      }),
      outcome: 'pass',
    },
    { name: 'the Secret is missing', facts: kept(good.root, undefined), outcome: 'pass' },
    {
      name: 'only a name hints at it',
      facts: kept(good.root, secret({}, { type: 'Opaque', keys: ['x'] }), {
        pods: lists({ 'shop/policy': [mounting([])] }),
      }),
      outcome: 'pass',
    },
  ],
  isUnknown: [
    { name: 'it may not be read', facts: kept(good.root, undefined, { secrets: forbidden('secrets') }) },
  ],
});
