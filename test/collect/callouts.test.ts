import { expect } from 'chai';
import { certificatesOnly } from '../../src/collect/collectors/certificates/secrets.ts';
import { calloutId } from '../../src/facts/callout.ts';
import { admissionCallouts, aggregatedApiCallout, conversionCallout } from '../../src/facts/callout-of.ts';

describe('callouts', () => {
  it('are the webhooks of a configuration, with the defaults of admissionregistration.k8s.io/v1', () => {
    const [callout] = admissionCallouts('validating', {
      metadata: { name: 'policy' },
      webhooks: [{ name: 'a.example.com', clientConfig: { service: { namespace: 'shop', name: 'policy' } } }],
    });
    expect(callout).to.deep.include({
      timeoutSeconds: 10,
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
    });
    expect(callout?.client.service?.port).to.equal(443);
    expect(callout && calloutId(callout)).to.equal('validating/policy/a.example.com');
  });

  it('may be absent from a configuration, or null', () => {
    expect(admissionCallouts('mutating', { metadata: { name: 'empty' } })).to.deep.equal([]);
    const [callout] = admissionCallouts('mutating', {
      metadata: { name: 'odd' },
      webhooks: [{ name: 'x', rules: null, admissionReviewVersions: null, sideEffects: null }],
    });
    expect(callout?.rules).to.deep.equal([]);
    expect(callout?.sideEffects).to.equal(undefined);
  });

  it('are CRDs that convert by webhook, and no others', () => {
    const spec = {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [],
    };
    expect(
      conversionCallout({
        metadata: { name: 'widgets.example.com' },
        spec: { ...spec, conversion: { strategy: 'None' } },
      }),
    ).to.equal(undefined);
    const webhook = {
      clientConfig: { service: { namespace: 'shop', name: 'policy', path: '/convert' } },
      conversionReviewVersions: ['v1'],
    };
    const callout = conversionCallout({
      metadata: { name: 'widgets.example.com' },
      spec: { ...spec, conversion: { strategy: 'Webhook', webhook } },
    });
    expect(callout && calloutId(callout)).to.equal('crd/widgets.example.com');
    expect(callout?.timeoutSeconds).to.equal(30);
  });

  it('are APIServices that a Service serves; local ones are not called', () => {
    expect(
      aggregatedApiCallout({ metadata: { name: 'v1.apps' }, spec: { group: 'apps', version: 'v1' } }),
    ).to.equal(undefined);
    const callout = aggregatedApiCallout({
      metadata: { name: 'v1.x' },
      spec: { group: 'x', version: 'v1', service: { namespace: 'shop', name: 'policy' } },
    });
    expect(callout && calloutId(callout)).to.equal('apiservice/v1.x');
  });
});

describe('certificatesOnly', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
  const key = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';

  it('keeps certificates and the names of keys, and nothing else', () => {
    const secret = certificatesOnly({
      metadata: { name: 'tls', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': key } },
      data: {
        'tls.crt': base64(certificate),
        'tls.key': base64(key),
        both: base64(certificate + key),
        password: base64('hunter2'),
      },
    });
    expect(secret.keys).to.deep.equal(['tls.crt', 'tls.key', 'both', 'password']);
    expect(secret.certificates.both).to.equal(secret.certificates['tls.crt']);
    expect(JSON.stringify(secret)).to.not.match(/c2VjcmV0|hunter2|PRIVATE/);
  });
});
