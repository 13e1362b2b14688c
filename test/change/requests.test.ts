import { expect } from 'chai';
import { ChangeRefused } from '../../src/change/change-refused.ts';
import { diffOf } from '../../src/change/diff.ts';
import type { Edit, KubeObject } from '../../src/change/plan.ts';
import { prepare } from '../../src/change/prepare.ts';
import { requestsFor } from '../../src/change/requests.ts';
import type { ClusterReader } from '../../src/collect/cluster.ts';
import { changeRecords, recordKey } from '../../src/facts/change-record.ts';

const ref = { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'b.example.com' };
const configuration: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'policy', uid: 'u', resourceVersion: '7', annotations: { kept: 'yes' } },
  webhooks: [
    { name: 'a.example.com', failurePolicy: 'Fail' },
    { name: 'b.example.com', failurePolicy: 'Fail' },
  ],
};
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'policy', namespace: 'shop', uid: 'd', resourceVersion: '9' },
  spec: { replicas: 0, template: { metadata: { labels: { app: 'policy' } } } },
};
const workload = { kind: 'Deployment', namespace: 'shop', name: 'policy' };

/** Contains these objects only. */
const reader = {
  get: async (path: string) =>
    path.endsWith('/validatingwebhookconfigurations/policy')
      ? configuration
      : path.endsWith('/deployments/policy')
        ? deployment
        : undefined,
} as unknown as ClusterReader;

/** An edit that depends on another one. */
const restart: Edit = { object: workload, operation: 'restart', afterPrevious: true };

const now = new Date('2026-01-01T00:00:00.500Z');
const mark = { id: '20260101-000000-abc', remedy: 'failopen', at: '2026-01-01T00:00:00.500Z' };
const planned = (...edits: Edit[]) =>
  prepare(reader, { remedy: 'failopen', summary: 's', edits, fixes: [], warnings: [] }, now);
const open: Edit = {
  object: ref,
  operation: 'patch',
  path: '/webhooks/1/failurePolicy',
  expected: 'Fail',
  after: 'Ignore',
};
/** An added field of the metadata of the Pod template. */
const below = (parent: string, field: string): Edit => ({
  object: workload,
  operation: 'patch',
  path: `/spec/template/metadata/${parent}/${field}`,
  expected: undefined,
  after: true,
});
const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('was not refused'),
    (error: unknown) => {
      expect(error).to.be.instanceOf(ChangeRefused);
      return (error as Error).message;
    },
  );

describe('a plan compared with the current objects', () => {
  it('becomes one patch with preconditions per object, with its record', async () => {
    const { steps, objects } = await planned(open, {
      ...open,
      object: { ...ref, webhook: 'a.example.com' },
      path: '/webhooks/0/failurePolicy',
    });
    const [request, ...others] = requestsFor(steps, objects, { mark });
    expect(others).to.deep.equal([]);
    const body = request?.body as { op: string; path: string; value?: unknown }[];
    expect(body.slice(0, -1)).to.deep.equal([
      { op: 'test', path: '/metadata/uid', value: 'u' },
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'test', path: '/webhooks/1/name', value: 'b.example.com' },
      { op: 'test', path: '/webhooks/0/name', value: 'a.example.com' },
      { op: 'test', path: '/webhooks/1/failurePolicy', value: 'Fail' },
      { op: 'replace', path: '/webhooks/1/failurePolicy', value: 'Ignore' },
      { op: 'test', path: '/webhooks/0/failurePolicy', value: 'Fail' },
      { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' },
    ]);
    const record = body.at(-1);
    expect(record?.path).to.equal('/metadata/annotations/kubectl-webhook~1change-20260101-000000-abc');
    const [read] = changeRecords({ annotations: { [recordKey(mark.id)]: String(record?.value) } });
    expect(read?.steps[0]).to.deep.equal({
      op: 'patch',
      path: '/webhooks/1/failurePolicy',
      webhook: 'b.example.com',
      before: 'Fail',
      after: 'Ignore',
    });
  });

  it('uses the generation if there is one, and ignores status updates', async () => {
    const scaled: Edit = { object: workload, operation: 'scale', after: 2 };
    const { steps, objects } = await planned(scaled);
    const tests = (metadata: object, more: object = {}) => {
      const live = { ...deployment, ...more, metadata: { ...deployment.metadata, ...metadata } };
      const all = new Map([...objects, ['Deployment shop/policy', live]]);
      const [request] = requestsFor(steps, all, { mark });
      return [request?.body, request?.instead?.body].map((body) =>
        (body as { op: string; path: string }[]).filter(({ op }) => op === 'test').map(({ path }) => path),
      );
    };
    const uid = '/metadata/uid';
    // The record is the first annotation: an existing one must not be overwritten.
    const first = '/metadata/annotations';
    expect(tests({ generation: 4 }, { status: {} })).to.deep.equal([
      [uid, '/metadata/generation', '/spec/replicas', first],
      [uid, '/spec/replicas'],
    ]);
    expect(tests({ annotations: { kept: 'yes' } }, { status: {} })[0]).to.deep.equal([uid, '/spec/replicas']);
    expect(tests({})[0]).to.deep.equal([uid, '/metadata/resourceVersion', '/spec/replicas', first]);
  });

  it('finds the webhook by its name, whatever its index', async () => {
    const { steps } = await planned({ ...open, path: '/webhooks/5/failurePolicy' });
    expect(steps[0]?.path).to.equal('/webhooks/1/failurePolicy');
    expect(await refusalOf(planned({ ...open, object: { ...ref, webhook: 'gone' } }))).to.match(
      /no longer has a webhook gone/,
    );
  });

  it('refuses two edits that add one missing parent: the second would erase the first', async () => {
    const [one, other] = [below('annotations', 'a'), below('annotations', 'b')];
    expect(await refusalOf(planned(one, other))).to.match(/two edits of .*policy.* write \/spec\/template/);
    expect((await planned(below('labels', 'a'), below('labels', 'b'))).steps).to.have.length(2);
    expect((await planned(one, below('labels', 'b'))).steps).to.have.length(2);
  });

  it('refuses objects that differ from the plan, do not exist, or exist already', async () => {
    expect(await refusalOf(planned({ ...open, expected: 'Ignore' }))).to.match(
      /is "Fail", no longer "Ignore"/,
    );
    expect(await refusalOf(planned({ ...open, expected: undefined }))).to.match(
      /is "Fail", no longer absent/,
    );
    expect(await refusalOf(planned({ ...open, object: { ...ref, name: 'gone' } }))).to.match(
      /does not exist, or no longer exists/,
    );
    expect(await refusalOf(planned({ object: workload, operation: 'create', after: deployment }))).to.match(
      /exists already/,
    );
  });

  it('never changes a Secret', async () => {
    const edit = { object: { kind: 'Secret', namespace: 'shop', name: 'x' }, operation: 'delete' } as const;
    expect(await refusalOf(planned(edit))).to.equal('objects of kind Secret are never changed');
  });

  it('has no step for a value that is already present', async () => {
    const { expected: _, ...edit } = open;
    expect((await planned({ ...edit, after: 'Fail' })).steps).to.deep.equal([]);
  });

  it('stores the record in the Namespace if the object cannot, and never overwrites one', async () => {
    const kept: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'kube-system', uid: 'k' },
    };
    const shop: KubeObject = {
      ...kept,
      metadata: { name: 'shop', uid: 's', annotations: { kept: 'yes' } },
    };
    const { steps, objects } = await planned(
      { object: { kind: ref.kind, name: ref.name }, operation: 'delete' },
      { object: workload, operation: 'scale', after: 2 },
    );
    const all = new Map([...objects, ['Namespace kube-system', kept], ['Namespace shop', shop]]);
    const [deleting, scaling] = requestsFor(steps, all, { mark });
    expect(deleting).to.include({ method: 'DELETE', records: false });
    expect(deleting?.ahead).to.include({ path: '/api/v1/namespaces/kube-system', records: true });
    const written = (deleting?.ahead?.body ?? []) as { op: string; path: string; value: object }[];
    const [uid, bare, record] = written;
    expect(uid).to.deep.equal({ op: 'test', path: '/metadata/uid', value: 'k' });
    expect(bare).to.deep.equal({ op: 'test', path: '/metadata/annotations', value: null });
    const [read] = changeRecords({ annotations: record?.value as Record<string, string> });
    const { uid: _, resourceVersion: __, ...metadata } = configuration.metadata;
    expect(read?.also).to.deep.equal(['Deployment shop/policy']);
    expect(read?.steps).to.deep.equal([
      {
        op: 'delete',
        object: { kind: ref.kind, name: 'policy' },
        uid: 'u',
        before: { ...configuration, metadata },
      },
    ]);
    // Through the scale only; otherwise the workload contains the record.
    expect(scaling).to.include({ records: true }).and.not.have.property('ahead');
    expect(scaling?.instead?.ahead?.path).to.equal('/api/v1/namespaces/shop');
    const body = (scaling?.instead?.ahead?.body ?? []) as readonly { readonly op: string }[];
    expect(body.map(({ op }) => op)).to.deep.equal(['test', 'add']);
    // An undo leaves no record.
    expect(requestsFor(steps, all, { unmark: [mark.id] })[0]).not.to.have.property('ahead');
  });

  it('scales with the record in the same patch, or through the scale only', async () => {
    const { steps, objects } = await planned({ object: workload, operation: 'scale', after: 2 });
    expect(steps[0]).to.include({ path: '/spec/replicas', before: 0, after: 2 });
    const [request] = requestsFor(steps, objects, { mark });
    expect(request?.path).to.equal('/apis/apps/v1/namespaces/shop/deployments/policy');
    expect(request?.records).to.equal(true);
    expect(request?.instead?.path).to.equal('/apis/apps/v1/namespaces/shop/deployments/policy/scale');
    expect(request?.instead?.records).to.equal(false);
    // A Scale omits zero.
    expect(request?.instead?.ahead).to.equal(undefined);
    expect(((request?.instead?.body ?? []) as object[]).slice(-2)).to.deep.equal([
      { op: 'test', path: '/spec/replicas', value: null },
      { op: 'add', path: '/spec/replicas', value: 2 },
    ]);
  });

  it('restarts as kubectl does, and leaves no record', async () => {
    const { steps } = await planned({ object: workload, operation: 'restart' });
    expect(steps[0]).to.deep.include({
      path: '/spec/template/metadata/annotations',
      before: undefined,
      after: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' },
    });
  });

  it('sends dependent requests later, with the value as the only precondition', async () => {
    const { steps, objects } = await planned(open, restart);
    const annotated: KubeObject = {
      ...deployment,
      metadata: { ...deployment.metadata, annotations: { kept: 'yes' } },
    };
    const seen = new Map([...objects].map(([key, one]) => [key, one === deployment ? annotated : one]));
    const requests = requestsFor(steps, seen, { mark });
    expect(requests.map(({ afterPrevious: inTurn }) => inTurn)).to.deep.equal([false, true]);
    const paths = ((requests[1]?.body ?? []) as { op: string; path: string; value: unknown }[]).slice(0, 2);
    expect(paths).to.deep.equal([
      { op: 'test', path: '/metadata/uid', value: 'd' },
      { op: 'test', path: '/spec/template/metadata/annotations', value: null },
    ]);
    // Without annotations, the patch would replace those added in the meantime: it requires that there are
    // none.
    expect(requestsFor(steps, objects, { mark })[1]?.body).to.deep.include({
      op: 'test',
      path: '/metadata/annotations',
      value: null,
    });
  });

  it('deletes only the object that was read', async () => {
    const { steps, objects } = await planned({ object: ref, operation: 'delete' });
    const [request] = requestsFor(steps, objects, { mark });
    expect(request?.method).to.equal('DELETE');
    expect(request?.body).to.deep.include({ preconditions: { uid: 'u', resourceVersion: '7' } });
    expect(steps[0]?.before).to.deep.equal(configuration);
  });

  it('omits the record if the object has no space for it', async () => {
    const { steps, objects } = await planned({ ...open, after: 'x'.repeat(210_000) });
    expect(requestsFor(steps, objects, { mark })[0]?.records).to.equal(false);
  });

  it('shows the diff of kubectl diff', async () => {
    const [diff] = diffOf(await planned(open));
    expect(diff).to.match(/^--- live\/ValidatingWebhookConfiguration policy/);
    expect(diff).to.match(/^-\s+failurePolicy: Fail\n\+\s+failurePolicy: Ignore$/m);
    expect(diff).to.not.match(/resourceVersion|uid/);
    const [gone] = diffOf(await planned({ object: ref, operation: 'delete' }));
    expect(gone).to.match(/\+\+\+ \/dev\/null/);
  });
});
