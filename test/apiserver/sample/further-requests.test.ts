import { expect } from 'chai';
import { furtherRequests, sampleRequests } from '../../../src/apiserver/sample/sample-request.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { healthy, webhook } from '../../support/snapshot.ts';

const verbs = ['create', 'update', 'delete', 'list', 'get', 'patch'];
const core = (resource: string, kind: string) => ({
  group: '',
  version: 'v1',
  resource,
  kind,
  namespaced: true,
  verbs,
});
const resources = [
  core('configmaps', 'ConfigMap'),
  core('secrets', 'Secret'),
  core('services', 'Service'),
  core('pods', 'Pod'),
  { ...core('widgets', 'Widget'), group: 'example.com' },
];
const facts = { ...healthy(), served: complete([['served', { resources, stale: [] }]]) } as unknown as Facts;

/** The requests after the first one, as `OPERATION resource`. */
function further(rule: { readonly resources: readonly string[]; readonly operations: readonly string[] }) {
  const callout = webhook({
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], ...rule }],
  } as never) as unknown as AdmissionCallout;
  const [first] = sampleRequests(callout, facts, undefined);
  if (first === undefined) throw new Error('no request');
  return furtherRequests(callout, facts, undefined, first.request).map(
    ({ operation, resource }) => `${operation} ${resource}`,
  );
}

describe('further test objects', () => {
  it('are of two other kinds, then an update and a deletion', () => {
    expect(further({ resources: ['*'], operations: ['*'] })).to.deep.equal([
      'CREATE secrets',
      'CREATE services',
      'UPDATE configmaps',
      'DELETE configmaps',
    ]);
  });
  it('are only those that the rules match', () => {
    expect(further({ resources: ['configmaps', 'secrets'], operations: ['CREATE'] })).to.deep.equal([
      'CREATE secrets',
    ]);
    expect(further({ resources: ['configmaps'], operations: ['UPDATE'] })).to.deep.equal([]);
  });
  it('are no objects that may be invalid', () => {
    expect(further({ resources: ['configmaps', 'widgets'], operations: ['CREATE'] })).to.deep.equal([]);
  });
});
