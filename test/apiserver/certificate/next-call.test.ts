import { expect } from 'chai';
import { nextCall } from '../../../src/apiserver/next-call/next-call.ts';
import { type Callout, calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { anchor, encoded } from '../../checks/tls/bundles.ts';
import { issued, probes as probesAt } from '../../checks/tls/serving.ts';
import { aggregatedApi, healthy, objects, snapshotOf, webhook } from '../../support/snapshot.ts';

const service = { namespace: 'shop', name: 'policy', port: 443 };
const expired = encoded(anchor(-300, -1));
const ask = (callout: Callout, over: Partial<Facts> = {}) =>
  nextCall(callout, snapshotOf(healthy(over)).facts);

describe('nextCall by the dates of the caBundle', () => {
  it('fails if no certificate in it is valid, with an error that depends on the presented chain', () => {
    const next = ask(webhook({ client: { service, caBundle: expired } }));
    expect(next).to.deep.equal({ outcome: 'fails', link: 'tls', sentences: [] });
  });

  it('fails for a URL, too', () => {
    const client = { url: 'https://hooks.example.com', caBundle: expired };
    expect(ask(webhook({ client }))).to.include({ outcome: 'fails', link: 'tls' });
  });

  it('is unknown for a URL that responds, as the system roots of the API server are not known', () => {
    const { presented, root } = issued();
    const seen = (caBundle: string | undefined) => {
      const url = 'https://policy.shop.svc';
      const callout = webhook({ client: { url, ...(caBundle === undefined ? {} : { caBundle }) } });
      const handshake = { protocol: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', presented, milliseconds: 2 };
      const connection = { way: 'direct', handshake, reviews: [] } as const;
      const probes = complete([[calloutId(callout), { ...probesAt([]), url: connection }]]);
      return ask(callout, { callouts: [callout], probes });
    };
    expect(seen(encoded(root))).to.deep.include({ outcome: 'succeeds', observed: true });
    expect(seen(undefined).observed).to.not.equal(true);
  });

  it('fails earlier if there is no address', () => {
    const next = ask(webhook({ client: { service, caBundle: expired } }), { services: objects() });
    expect(next).to.include({ outcome: 'fails', link: 'routing' });
  });

  it('succeeds if another one in it is valid', () => {
    const both = encoded(`${anchor(-300, -1)}${anchor(-10, 300)}`);
    expect(ask(webhook({ client: { service, caBundle: both } }))).to.include({ outcome: 'succeeds' });
  });

  it('succeeds if certificates are not verified', () => {
    const callout = aggregatedApi({ insecureSkipTLSVerify: true, client: { service, caBundle: expired } });
    expect(ask(callout)).to.include({ outcome: 'succeeds' });
  });

  it('uses the given time', () => {
    const callout = webhook({ client: { service, caBundle: expired } });
    expect(ask(callout, { takenAt: '2025-06-01T00:00:00Z' })).to.include({ outcome: 'succeeds' });
  });
});
