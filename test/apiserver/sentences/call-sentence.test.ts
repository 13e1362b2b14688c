import { expect } from 'chai';
import { callSentence, internalError } from '../../../src/apiserver/sentences/call-sentence.ts';
import type { ClientConfig } from '../../../src/facts/callout.ts';
import { discoveryUrl, storedObjectFailure } from '../../support/further-texts.ts';
import { aggregatedApi, conversion, webhook } from '../../support/snapshot.ts';

const service = (path?: string): ClientConfig => ({
  service: { namespace: 'shop', name: 'policy', port: 443, ...(path === undefined ? {} : { path }) },
});

describe('callSentence', () => {
  it('is the API server’s error for an admission webhook', () => {
    expect(internalError(callSentence(webhook(), 'service "policy" not found'))).to.equal(
      'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: ' +
        'Post "https://policy.shop.svc:443/validate?timeout=10s": service "policy" not found',
    );
  });

  it('has no middle part up to 1.22', () => {
    expect(callSentence(webhook(), 'EOF', 'v1.22.17')).to.equal(
      'failed calling webhook "policy.example.com": Post "https://policy.shop.svc:443/validate?timeout=10s": EOF',
    );
  });

  it('contains the stored version of a conversion, whose timeout is fixed', () => {
    expect(callSentence(conversion(), 'EOF')).to.equal(
      'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://policy.shop.svc:443/convert?timeout=30s": EOF',
    );
  });

  it('has a prefix from 1.37 on for one stored object', () => {
    const wrapped = (version: string) =>
      storedObjectFailure('conversion webhook …', '/example.com/widgets/shop/one', '317', version);
    expect(wrapped('v1.36.2')).to.equal('conversion webhook …');
    expect(wrapped('v1.37.1')).to.equal(
      'Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/widgets/shop/one, ' +
        'ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=317: conversion webhook …',
    );
  });

  it('is the error of the aggregator for an aggregated API', () => {
    expect(callSentence(aggregatedApi(), 'EOF')).to.equal('error trying to reach service: EOF');
    expect(discoveryUrl(aggregatedApi(), '203.0.113.9:443')).to.equal(
      'https://203.0.113.9:443/apis/metrics.example.com/v1beta1',
    );
  });

  const urls: readonly (readonly [ClientConfig, string])[] = [
    [service(), 'https://policy.shop.svc:443/'],
    [service(''), 'https://policy.shop.svc:443/'],
    [service('/'), 'https://policy.shop.svc:443/'],
    [service('/mutate/'), 'https://policy.shop.svc:443/mutate'],
    [service('/a/b/'), 'https://policy.shop.svc:443/a/b'],
    [{ url: 'https://hooks.example.com' }, 'https://hooks.example.com/'],
    [{ url: 'https://hooks.example.com:8443/a//b/../c/' }, 'https://hooks.example.com:8443/a/c'],
    [{ url: 'https://Hooks.Example.com/x' }, 'https://Hooks.Example.com/x'],
    [{ url: 'https://[2001:db8::1]:8443/x' }, 'https://[2001:db8::1]:8443/x'],
    [{ url: 'https://hooks.example.com/a%20b' }, 'https://hooks.example.com/a%20b'],
    [{ url: 'https://hooks.example.com/a+b:c@d' }, 'https://hooks.example.com/a+b:c@d'],
  ];
  for (const [client, url] of urls) {
    it(`calls ${url} for ${client.url ?? client.service?.path ?? 'no path'}`, () => {
      expect(callSentence(webhook({ client, timeoutSeconds: 5 }), 'EOF')).to.include(
        `Post "${url}?timeout=5s": EOF`,
      );
    });
  }
});
