import { expect } from 'chai';
import type { DryRunRequest } from '../../../../src/collect/cluster.ts';
import { isStillForbidden } from '../../../../src/collect/probes/api-server/subject-access.ts';
import type { Forbidden } from '../../../../src/facts/rbac-denial.ts';
import { recordedProber, statusOf } from '../../../support/recorded-prober.ts';

const forbidden = {
  account: 'shop/policy',
  verb: 'list',
  resource: 'deployments.apps',
  namespace: 'shop',
};

describe('whether a request that a log names is still forbidden', () => {
  const ask = async (status: number, body: object, about: Forbidden = forbidden) => {
    const sent: DryRunRequest[] = [];
    const prober = recordedProber({
      dryRun(request) {
        sent.push(request);
        return status === 201
          ? { status, headers: {}, body: Buffer.from(JSON.stringify(body)) }
          : statusOf(status, 'subjectaccessreviews is forbidden');
      },
    });
    return { still: await isStillForbidden(prober, about), sent };
  };

  it('is decided by the API server, for the ServiceAccount and its groups', async () => {
    const { still, sent } = await ask(201, { status: { allowed: false } });
    expect(still).to.equal(true);
    expect(sent).to.deep.equal([
      {
        verb: 'create',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        object: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user: 'system:serviceaccount:shop:policy',
            groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
            resourceAttributes: {
              verb: 'list',
              group: 'apps',
              resource: 'deployments',
              subresource: undefined,
              namespace: 'shop',
              name: undefined,
            },
          },
        },
      },
    ]);
  });
  it('is decided for the object that the request named: a Role can permit some names only', async () => {
    const { sent } = await ask(201, { status: { allowed: true } }, { ...forbidden, name: 'cart' });
    expect(sent[0]?.object).to.have.nested.property('spec.resourceAttributes.name', 'cart');
  });
  it('is no if the permission was added since', async () =>
    expect((await ask(201, { status: { allowed: true } })).still).to.equal(false));
  it('is not known if the user has no permission for the review', async () =>
    expect((await ask(403, {})).still).to.equal(undefined));
});
