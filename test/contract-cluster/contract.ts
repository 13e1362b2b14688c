import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { builtInResources } from '../../src/demo/api-server/built-in-resources.ts';
import type { ApiObject } from '../../src/demo/api-server/object-store.ts';
import { withDefaults } from '../../src/demo/cluster/defaults.ts';
import {
  absences,
  aggregated,
  badFieldSelectors,
  badLabelSelectors,
  badRequest,
  failure,
  fieldSelectors,
  inContract,
  labelSelectors,
  logErrors,
  notAllowed,
  refusals,
} from './answers.ts';
import type { ContractCluster, Question } from './cluster.ts';
import { type DiscoveredGroup, lineOf, linesOf } from './discovered.ts';
import { workloads, written } from './objects.ts';
import { decided, pathOf } from './stored.ts';

interface List {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly ApiObject[];
}

/** Reads that the demo cluster and a real kube-apiserver must respond to in the same way. */
export function describeContract(title: string, connect: () => Promise<ContractCluster>): void {
  describe(title, () => {
    let cluster: ContractCluster;
    before(async () => {
      cluster = await connect();
    });
    after(() => cluster?.stop());

    const ask = (path: string, question?: Question) => cluster.ask(path, question);
    const list = async (path: string, question?: Question): Promise<List> => {
      const answer = await ask(path, question);
      expect(answer.status, answer.text.slice(0, 300)).to.equal(200);
      return answer.json as List;
    };
    const names = ({ items }: List): string => items.map(({ metadata }) => metadata.name).join(' ');

    describe('lists', () => {
      it('have their kind once, sorted by namespace and name', async () => {
        const found = await list(`${inContract}/configmaps`);
        expect([found.kind, found.apiVersion]).to.deep.equal(['ConfigMapList', 'v1']);
        expect(found.metadata.resourceVersion).to.match(/^\d+$/);
        expect(names(found)).to.equal('a b c d e');
        expect(found.items[0]).to.not.have.any.keys('kind', 'apiVersion');
        expect(Object.keys(found.items[0]?.metadata ?? {})).to.include.members([
          'uid',
          'resourceVersion',
          'creationTimestamp',
        ]);
      });
      it('are empty for a namespace that does not exist', async () => {
        const { metadata, ...rest } = await list('/api/v1/namespaces/nowhere/pods');
        expect(rest).to.deep.equal({ kind: 'PodList', apiVersion: 'v1', items: [] });
        expect(metadata.resourceVersion).to.match(/^\d+$/);
      });
      it('of custom resources are served as soon as their definition is', async () => {
        const { kind, apiVersion, items } = await list('/apis/contract.example.com/v1/widgets');
        expect({ kind, apiVersion, items }).to.deep.equal({
          kind: 'WidgetList',
          apiVersion: 'contract.example.com/v1',
          items: [],
        });
      });
      it('can contain metadata only', async () => {
        const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
        const found = await list(`${inContract}/configmaps?limit=1`, { accept });
        expect([found.kind, found.apiVersion]).to.deep.equal(['PartialObjectMetadataList', 'meta.k8s.io/v1']);
        expect(found.items[0]).to.include({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
        expect(found.items[0]).to.not.have.property('data');
      });
    });

    const body = (object: unknown) => JSON.stringify(object);
    const patch = (
      path: string,
      value: unknown,
      kind: `${'' | 'strategic-'}merge-patch` | 'json-patch' = 'merge-patch',
    ) => ask(path, { method: 'PATCH', body: body(value), contentType: `application/${kind}+json` });

    describe('writes', () => {
      const maps = `${inContract}/secrets`;
      const one = `${maps}/written`;
      const written = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'written' },
        data: { a: 'MQ==' },
      };
      const details = { name: 'written', kind: 'secrets' };
      const stored = async () => (await ask(one)).json as ApiObject;
      before(async () => {
        const { status, json } = await ask(maps, { method: 'POST', body: body(written) });
        expect(status).to.equal(201);
        expect((json as ApiObject).metadata).to.include.keys('uid', 'resourceVersion', 'creationTimestamp');
      });

      it('refuse an object that exists', async () => {
        expect((await ask(maps, { method: 'POST', body: body(written) })).json).to.deep.equal(
          failure(409, 'AlreadyExists', 'secrets "written" already exists', details),
        );
      });
      it('patch an existing object, and change its version', async () => {
        const { resourceVersion } = (await stored()).metadata;
        expect((await patch(one, { data: { a: null, b: 'Mg==' } })).json).to.deep.include({
          data: { b: 'Mg==' },
        });
        expect((await stored()).metadata.resourceVersion).to.not.equal(resourceVersion);
      });
      it('merge lists like a strategic merge patch', async () => {
        const templates = `${inContract}/podtemplates`;
        const values = (found: readonly object[] = [], key: string) =>
          found.map((item) => (item as Record<string, unknown>)[key]);
        interface Shown {
          readonly metadata: ApiObject['metadata'];
          readonly template: { readonly spec: Record<string, readonly Record<string, object[]>[]> };
        }
        const shown = ({ metadata, template: { spec } }: Shown) => [
          metadata.finalizers ?? [],
          (spec.containers ?? []).map((container) => [
            ...[container.name, container.image],
            ...[values(container.env, 'name'), values(container.ports, 'containerPort'), container.args],
          ]),
          (spec.volumes ?? []).map((volume) => Object.keys(volume).sort()),
          values(spec.tolerations, 'key'),
        ];
        const container = (name: string, more: object = {}) => ({
          ...{ name, image: 'i:1', args: ['x', 'y'], ports: [{ containerPort: 1 }, { containerPort: 2 }] },
          ...{ env: ['A', 'B', 'C'].map((env) => ({ name: env, value: '1' })), ...more },
        });
        const spec = {
          containers: [container('a'), container('b')],
          volumes: [{ name: 'v', emptyDir: {} }],
          tolerations: [{ key: 'k', operator: 'Exists' }],
        };
        const template = { metadata: { labels: { app: 'x' } }, spec };
        const metadata = { name: 'merged', finalizers: ['a.example.com/x'] };
        const created = await ask(templates, {
          ...{ method: 'POST', body: body({ apiVersion: 'v1', kind: 'PodTemplate', metadata, template }) },
        });
        expect(created.status).to.equal(201);
        const changed = async (change: object, finalizers: object = {}) =>
          shown(
            (
              await patch(
                `${templates}/merged`,
                { metadata: finalizers, template: { spec: change } },
                'strategic-merge-patch',
              )
            ).json as Shown,
          );
        const first = await changed(
          {
            containers: [
              { name: 'a', image: 'i:2', args: ['z'], env: [{ name: 'B', $patch: 'delete' }, { name: 'D' }] },
              { name: 'b', ports: [{ $patch: 'replace' }, { containerPort: 3 }], env: null },
            ],
            tolerations: [{ key: 'l', operator: 'Exists' }],
          },
          { finalizers: ['b.example.com/x'] },
        );
        expect(first).to.deep.equal([
          ['b.example.com/x', 'a.example.com/x'],
          [
            ['a', 'i:2', ['D', 'A', 'C'], [1, 2], ['z']],
            ['b', 'i:1', [], [3], ['x', 'y']],
          ],
          [['emptyDir', 'name']],
          ['l'],
        ]);
        const second = await changed(
          {
            '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }],
            containers: [
              { name: 'a', $patch: 'delete' },
              { name: 'c', image: 'i:3' },
            ],
            volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }],
          },
          {
            '$deleteFromPrimitiveList/finalizers': ['a.example.com/x', 'b.example.com/x'],
            '$setElementOrder/finalizers': [],
          },
        );
        expect(second).to.deep.equal([
          [],
          [
            ['c', 'i:3', [], [], undefined],
            ['b', 'i:1', [], [3], ['x', 'y']],
          ],
          [['hostPath', 'name']],
          ['l'],
        ]);
        expect((await ask(`${templates}/merged`, { method: 'DELETE' })).status).to.equal(200);
      });
      it('keep the version if nothing changes', async () => {
        const { resourceVersion } = (await stored()).metadata;
        await patch(one, { data: { b: 'Mg==' } });
        expect((await stored()).metadata.resourceVersion).to.equal(resourceVersion);
      });
      it('change nothing in a dry run', async () => {
        expect((await patch(`${one}?dryRun=All`, { data: { b: 'Mw==' } })).json).to.deep.include({
          data: { b: 'Mw==' },
        });
        expect((await stored()).data).to.deep.equal({ b: 'Mg==' });
      });
      it('refuse a JSON Patch whose test fails', async () => {
        const { status, json } = await patch(
          one,
          [{ op: 'test', path: '/data/b', value: 'x' }],
          'json-patch',
        );
        const { message, reason, details: why } = json as ReturnType<typeof failure> & { details: object };
        expect([status, reason, message]).to.deep.equal([
          ...[422, 'Invalid', 'the server rejected our request due to an error in our request'],
        ]);
        expect(why).to.deep.equal({});
      });
      it('refuse an object of another version, and one with another uid', async () => {
        const old = { ...written, metadata: { ...written.metadata, resourceVersion: '1' } };
        expect((await ask(one, { method: 'PUT', body: body(old) })).json).to.deep.equal(
          failure(
            409,
            'Conflict',
            'Operation cannot be fulfilled on secrets "written": the object has been modified; please apply your changes to the latest version and try again',
            details,
          ),
        );
        const preconditions = { uid: '6c6b2c4e-8f39-4c7f-9d0e-3f1f1a7c9a11' };
        const { uid } = (await stored()).metadata;
        expect((await ask(one, { method: 'DELETE', body: body({ preconditions }) })).json).to.deep.equal(
          failure(
            409,
            'Conflict',
            `Operation cannot be fulfilled on Secret "written": the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
            { ...details, kind: 'Secret' },
          ),
        );
      });
      it('return the own user, and its permissions', async () => {
        const review = async (verb: string, as: 'admin' | 'reader') => {
          const resourceAttributes = { verb, resource: 'configmaps', namespace: 'contract' };
          const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
          const object = {
            ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
            spec: { resourceAttributes },
          };
          const { status, json } = await ask(path, { method: 'POST', body: body(object), as });
          return [status, (json as { status: { allowed: boolean } }).status?.allowed];
        };
        expect(await review('delete', 'admin')).to.deep.equal([201, true]);
      });
      it('send events to watchers', async () => {
        const { resourceVersion } = (await list(maps)).metadata;
        const { metadata } = (await patch(one, { data: { b: 'NA==' } })).json as ApiObject;
        const watch = `${maps}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`;
        const lines = (await ask(watch)).text.trim().split('\n');
        const { type, object } = JSON.parse(lines[0] ?? '{}') as { type: string; object: ApiObject };
        expect([type, object.metadata.name, object.metadata.resourceVersion]).to.deep.equal([
          ...['MODIFIED', 'written', metadata.resourceVersion],
        ]);
      });
      it('delete', async () => {
        const { uid } = (await stored()).metadata;
        const { status, json } = await ask(one, { method: 'DELETE', body: body({}) });
        expect([status, json]).to.deep.equal([
          200,
          {
            ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' },
            details: { ...details, uid },
          },
        ]);
        expect((await ask(one)).json).to.deep.equal(
          failure(404, 'NotFound', 'secrets "written" not found', details),
        );
        expect((await patch(one, {})).status).to.equal(404);
      });
    });

    describe('pages', () => {
      it('continue after the previous page, and contain the number of remaining objects', async () => {
        const seen: string[] = [];
        const left: (number | undefined)[] = [];
        let token: string | undefined = '';
        while (token !== undefined) {
          const page: List = await list(
            `${inContract}/configmaps?limit=2&continue=${encodeURIComponent(token)}`,
          );
          seen.push(names(page));
          left.push(page.metadata.remainingItemCount);
          token = page.metadata.continue;
        }
        expect(seen).to.deep.equal(['a b', 'c d', 'e']);
        expect(left).to.deep.equal([3, 1, undefined]);
      });
      it('do not contain the number of remaining objects of a selection', async () => {
        const { metadata } = await list(`${inContract}/configmaps?limit=1&labelSelector=tier`);
        expect(metadata).to.have.property('continue');
        expect(metadata).to.not.have.property('remainingItemCount');
      });
      it('of an expired list are refused as Expired, with a token to continue', async () => {
        const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"a\\u0000"}').toString('base64url');
        const { status, json } = await ask(`${inContract}/events?limit=2&continue=${token}`);
        const { metadata, message, ...rest } = json as { metadata: { continue: string }; message: string };
        expect(status).to.equal(410);
        expect(rest).to.deep.equal({
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          reason: 'Expired',
          code: 410,
        });
        expect(message).to.match(
          /^The provided continue parameter is too old to display a consistent list result\. You can/,
        );
        const next = await list(`${inContract}/events?limit=2&continue=${metadata.continue}`);
        expect(names(next)).to.equal('first second');
      });
      it('with an invalid token or an invalid limit are refused', async () => {
        const token = await ask(`${inContract}/pods?limit=1&continue=nonsense`);
        expect(token.status).to.equal(400);
        expect(token.json).to.include({ reason: 'BadRequest' });
        expect((token.json as { message: string }).message).to.match(
          /^invalid continue token: continue key is not valid: /,
        );
        const limit = await ask(`${inContract}/pods?limit=abc`);
        expect(limit.json).to.deep.equal(badRequest('strconv.ParseInt: parsing "abc": invalid syntax'));
      });
    });

    describe('label selectors', () => {
      for (const [selector, expected] of labelSelectors) {
        it(`${selector} selects ${expected || 'nothing'}`, async () => {
          const query = encodeURIComponent(selector);
          expect(names(await list(`${inContract}/configmaps?labelSelector=${query}`))).to.equal(expected);
        });
      }
      for (const [selector, message] of badLabelSelectors) {
        it(`${selector} is refused`, async () => {
          const { json } = await ask(
            `${inContract}/configmaps?labelSelector=${encodeURIComponent(selector)}`,
          );
          expect(json).to.deep.equal(badRequest(message));
        });
      }
    });

    describe('field selectors', () => {
      for (const [resource, selector, expected] of fieldSelectors) {
        it(`${selector} of ${resource} selects ${expected || 'nothing'}`, async () => {
          const query = encodeURIComponent(selector);
          expect(names(await list(`${inContract}/${resource}?fieldSelector=${query}`))).to.equal(expected);
        });
      }
      for (const [path, message] of badFieldSelectors) {
        it(`${path} is refused`, async () => {
          expect((await ask(path)).json).to.deep.equal(badRequest(message));
        });
      }
    });

    describe('objects', () => {
      it('contain their kind', async () => {
        const { json } = await ask(`${inContract}/configmaps/a`);
        expect(json).to.include({ kind: 'ConfigMap', apiVersion: 'v1' });
      });
      for (const [path, expected] of absences) {
        it(`that do not exist: ${path}`, async () => {
          const { status, json, text } = await ask(path);
          expect(status).to.equal(404);
          expect(typeof expected === 'string' ? text : json).to.deep.equal(expected);
        });
      }
      for (const object of [...written, ...workloads.map(({ manifest }) => manifest)]) {
        it(`are stored with the defaults of ${object.kind} ${object.metadata.name}`, async () => {
          const { json } = await ask(pathOf(object));
          expect(decided(json as ApiObject)).to.deep.equal(decided(withDefaults(object)));
        });
      }
      it('Namespaces have their name as a label', async () => {
        const { json } = await ask('/api/v1/namespaces/contract');
        const { metadata, spec, status } = json as ApiObject;
        expect(metadata.labels).to.deep.equal({
          'kubernetes.io/metadata.name': 'contract',
          team: 'contract',
        });
        expect({ spec, status }).to.deep.equal({
          spec: { finalizers: ['kubernetes'] },
          status: { phase: 'Active' },
        });
      });
    });

    describe('callers', () => {
      for (const [path, expected] of refusals) {
        it(`without the permission are refused: ${path}`, async () => {
          const { status, json } = await ask(path, { as: 'reader' });
          expect(status).to.equal(403);
          expect(json).to.deep.equal(expected);
        });
      }
      it('with permissions in one namespace can read only that', async () => {
        expect(names(await list(`${inContract}/configmaps`, { as: 'reader' }))).to.equal('a b c d e');
        expect((await ask(`${inContract}/configmaps/a`, { as: 'reader' })).status).to.equal(200);
      });
      it('that are unknown are not authenticated', async () => {
        const { status, json } = await ask('/api/v1/pods', { as: 'impostor' });
        expect(status).to.equal(401);
        expect(json).to.deep.equal(failure(401, 'Unauthorized', 'Unauthorized'));
      });
      it('without credentials may read the version, and little else', async () => {
        expect((await ask('/version', { as: 'nobody' })).status).to.equal(200);
        const { json } = await ask('/api/v1/pods', { as: 'nobody' });
        expect(json).to.have.property(
          'message',
          'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
        );
      });
      it('may use discovery without other permissions', async () => {
        for (const path of ['/version', '/api', '/apis', '/apis/apps', '/apis/apps/v1', '/api/v1'])
          expect((await ask(path, { as: 'reader' })).status, path).to.equal(200);
      });
    });

    describe('methods', () => {
      for (const [method, path] of [
        ['POST', `${inContract}/configmaps/a`],
        ['PATCH', `${inContract}/configmaps`],
        ['POST', '/apis/apps/v1'],
        ['POST', '/version'],
      ] as const) {
        it(`${method} ${path} is not allowed`, async () => {
          const { status, json } = await ask(path, { method });
          expect(status).to.equal(405);
          expect(json).to.deep.equal(notAllowed);
        });
      }
      it('HTML is not an accepted media type', async () => {
        expect((await ask(`${inContract}/pods`, { accept: 'text/html' })).status).to.equal(406);
      });
    });

    describe('logs', () => {
      for (const [path, message] of logErrors) {
        it(`${path} is refused`, async () => {
          expect((await ask(`${inContract}/pods/${path}`)).json).to.deep.equal(badRequest(message));
        });
      }
    });

    describe('compression', () => {
      it('compresses large lists if the client accepts that', async () => {
        const packed = await ask(`${inContract}/configmaps`, { gzip: true });
        expect(packed.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
        expect((await ask(`${inContract}/configmaps`)).headers).to.not.have.property('content-encoding');
      });
      it('does not compress small ones', async () => {
        const { headers } = await ask(`${inContract}/configmaps?limit=1`, { gzip: true });
        expect(headers).to.not.have.property('content-encoding');
      });
    });

    describe('discovery', () => {
      it('contains the version', async () => {
        const { json } = await ask('/version');
        expect(json).to.include({ major: '1', minor: '35', gitVersion: 'v1.35.4' });
      });
      it('contains all resources at once for aggregated discovery', async () => {
        const found = await Promise.all(
          ['/api', '/apis'].map((path) => ask(path, { accept: `${aggregated},application/json` })),
        );
        for (const { headers, json } of found) {
          expect(headers['content-type']).to.equal(aggregated);
          expect(json).to.include({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
        }
        const told = found.flatMap(({ json }) => (json as { items: readonly DiscoveredGroup[] }).items);
        expect(told.flatMap(linesOf)).to.include.members(builtInResources.map(lineOf));
        const versions = told.flatMap(({ metadata, versions: all }) =>
          all.map((one) => ({ group: metadata.name ?? '', ...one })),
        );
        const ours = versions.filter(({ group }) => group.endsWith('contract.example.com'));
        expect(
          ours.map(({ group, version, freshness }) => `${group}/${version} ${freshness}`),
        ).to.have.members([
          'contract.example.com/v1 Current',
          'contract.example.com/v1beta1 Current',
          'metrics.contract.example.com/v1beta1 Stale',
        ]);
        expect(
          ours.find(({ version, group }) => version === 'v1' && group === 'contract.example.com')?.resources,
        ).to.deep.include({
          resource: 'widgets',
          responseKind: { group: 'contract.example.com', version: 'v1', kind: 'Widget' },
          scope: 'Namespaced',
          singularResource: 'widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        });
      });
      it('contains groups, then versions, then resources otherwise', async () => {
        expect((await ask('/api')).json).to.deep.include({ kind: 'APIVersions', versions: ['v1'] });
        const { groups } = (await ask('/apis')).json as { groups: readonly { name: string }[] };
        const apps = {
          name: 'apps',
          versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
          preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
        };
        expect(groups).to.deep.include(apps);
        expect(groups.map(({ name }) => name)).to.include.members([
          'contract.example.com',
          'metrics.contract.example.com',
        ]);
        expect((await ask('/apis/apps')).json).to.deep.equal({ kind: 'APIGroup', apiVersion: 'v1', ...apps });
      });
      it('contains the resources of a group with their subresources', async () => {
        for (const [path, head] of [
          ['/api/v1', { kind: 'APIResourceList', groupVersion: 'v1' }],
          ['/apis/apps/v1', { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'apps/v1' }],
        ] as const) {
          const { resources, ...rest } = (await ask(path)).json as {
            resources: readonly Record<string, unknown>[];
          };
          expect(rest).to.deep.equal(head);
          const { groupVersion } = head;
          const group = groupVersion === 'v1' ? '' : 'apps';
          const wanted = builtInResources.filter(
            (resource) => resource.group === group && resource.version === 'v1',
          );
          expect(resources.map(({ name }) => name)).to.have.members(
            wanted.flatMap(({ plural, subresources }) => [
              plural,
              ...subresources.map(({ name }) => `${plural}/${name}`),
            ]),
          );
        }
        const { resources } = (await ask('/api/v1')).json as {
          resources: readonly Record<string, unknown>[];
        };
        expect(resources).to.deep.include({
          name: 'pods/eviction',
          singularName: '',
          namespaced: true,
          group: 'policy',
          version: 'v1',
          kind: 'Eviction',
          verbs: ['create'],
        });
      });
      it('contains in OpenAPI that the server validates fields', async () => {
        const read = async (path: string) => JSON.parse((await ask(path)).text);
        const { paths } = await read('/openapi/v3');
        interface Operation {
          readonly parameters?: readonly { readonly name: string; readonly in: string }[];
          readonly 'x-kubernetes-group-version-kind'?: object;
        }
        for (const [name, kind] of [
          ['api/v1', { group: '', version: 'v1', kind: 'Service' }],
          ['apis/apps/v1', { group: 'apps', version: 'v1', kind: 'Deployment' }],
        ] as const) {
          const served: { readonly paths: Readonly<Record<string, { readonly patch?: Operation }>> } =
            await read(paths[name].serverRelativeURL);
          const operations = Object.values(served.paths);
          const found = operations
            .flatMap(({ patch: operation }) => operation ?? [])
            .find((operation) => isDeepStrictEqual(operation['x-kubernetes-group-version-kind'], kind));
          const place = found?.parameters?.find((parameter) => parameter.name === 'fieldValidation')?.in;
          expect(place, JSON.stringify(kind)).to.equal('query');
        }
      });
      it('of an API whose Service does not exist is 503', async () => {
        const { status, text } = await ask('/apis/metrics.contract.example.com/v1beta1');
        expect([status, text]).to.deep.equal([503, 'service unavailable\n']);
      });
      it('contains the health of the server', async () => {
        expect((await ask('/readyz')).text).to.equal('ok');
      });
    });

    // Last: with controllers, Events show these objects.
    describe('workloads', () => {
      it('count their replicas, also through scale', async () => {
        const deployment = '/apis/apps/v1/namespaces/contract/deployments/deployment';
        const generation = async () => ((await ask(deployment)).json as ApiObject).metadata.generation ?? 0;
        const first = await generation();
        await patch(deployment, { metadata: { labels: { seen: `${first}` } } });
        expect(await generation()).to.equal(first);
        await patch(deployment, { metadata: { annotations: { seen: `${first}` } } });
        expect(await generation()).to.equal(first + 1);
        const { json } = await patch(`${deployment}/scale`, { spec: { replicas: 1 } });
        expect(json).to.include({ kind: 'Scale', apiVersion: 'autoscaling/v1' });
        expect((json as ApiObject).spec).to.deep.equal({ replicas: 1 });
        expect(await generation()).to.equal(first + 2);
        const down = await patch(`${deployment}/scale`, { spec: { replicas: 0 } });
        expect((down.json as ApiObject).spec).to.deep.equal({});
      });
    });
  });
}
