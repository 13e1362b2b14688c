import { expect } from 'chai';
import { buildTestObject } from '../../../src/apiserver/sample/test-object.ts';

const specOf = (group: string, resource: string, kind: string) =>
  buildTestObject({ group, version: 'v1', resource, kind, namespace: 'default', labels: {} }).spec;

describe('test objects', () => {
  it('have the defaults that the API server sets before it calls webhooks', () => {
    expect(specOf('batch', 'jobs', 'Job')).to.include({ parallelism: 1, completions: 1, backoffLimit: 6 });
    expect(specOf('apps', 'deployments', 'Deployment')).to.include({ progressDeadlineSeconds: 600 });
    expect(specOf('', 'pods', 'Pod')).to.include({ terminationGracePeriodSeconds: 30 });
  });

  it('have an empty spec if their kind is not known', () => {
    expect(specOf('acme.example.com', 'widgets', 'Widget')).to.deep.equal({});
  });
});
