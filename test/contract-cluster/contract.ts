import { expect } from 'chai';
import type { ApiObject } from '../../src/demo/api-server/api-object.ts';
import { builtInResources } from '../../src/demo/api-server/built-in-resources.ts';
import { withDefaults } from '../../src/demo/cluster/defaults.ts';
import type { ContractCluster, Question } from './cluster.ts';
import { workloads, written } from './objects.ts';

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

const failure = (code: number, reason: string, message: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details === undefined ? {} : { details }),
  code,
});
const badRequest = (message: string) => failure(400, 'BadRequest', message);
const notServed = failure(404, 'NotFound', 'the server could not find the requested resource', {});
const notAllowed = failure(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
);
const inContract = '/api/v1/namespaces/contract';
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const refusals: readonly (readonly [string, object])[] = [
  [
    `${inContract}/pods`,
    failure(
      403,
      'Forbidden',
      'pods is forbidden: User "reader" cannot list resource "pods" in API group "" in the namespace "contract"',
      { kind: 'pods' },
    ),
  ],
  [
    '/api/v1/pods',
    failure(
      403,
      'Forbidden',
      'pods is forbidden: User "reader" cannot list resource "pods" in API group "" at the cluster scope',
      { kind: 'pods' },
    ),
  ],
  [
    `${inContract}/pods/one`,
    failure(
      403,
      'Forbidden',
      'pods "one" is forbidden: User "reader" cannot get resource "pods" in API group "" in the namespace "contract"',
      { name: 'one', kind: 'pods' },
    ),
  ],
  [
    `${inContract}/pods/one/log`,
    failure(
      403,
      'Forbidden',
      'pods "one" is forbidden: User "reader" cannot get resource "pods/log" in API group "" in the namespace "contract"',
      { name: 'one', kind: 'pods' },
    ),
  ],
  [
    '/api/v1/namespaces/contract',
    failure(
      403,
      'Forbidden',
      'namespaces "contract" is forbidden: User "reader" cannot get resource "namespaces" in API group "" in the namespace "contract"',
      { name: 'contract', kind: 'namespaces' },
    ),
  ],
  [
    '/api/v1/nodes/n',
    failure(
      403,
      'Forbidden',
      'nodes "n" is forbidden: User "reader" cannot get resource "nodes" in API group "" at the cluster scope',
      { name: 'n', kind: 'nodes' },
    ),
  ],
  [
    '/apis/apps/v1/deployments',
    failure(
      403,
      'Forbidden',
      'deployments.apps is forbidden: User "reader" cannot list resource "deployments" in API group "apps" at the cluster scope',
      { group: 'apps', kind: 'deployments' },
    ),
  ],
  [
    '/apis/apps/v1/namespaces/contract/deployments/x',
    failure(
      403,
      'Forbidden',
      'deployments.apps "x" is forbidden: User "reader" cannot get resource "deployments" in API group "apps" in the namespace "contract"',
      { name: 'x', group: 'apps', kind: 'deployments' },
    ),
  ],
  [
    '/api/v1/configmaps',
    failure(
      403,
      'Forbidden',
      'configmaps is forbidden: User "reader" cannot list resource "configmaps" in API group "" at the cluster scope',
      { kind: 'configmaps' },
    ),
  ],
  ['/nowhere', failure(403, 'Forbidden', 'forbidden: User "reader" cannot get path "/nowhere"', {})],
];

const absences: readonly (readonly [string, object | string])[] = [
  [
    `${inContract}/pods/none`,
    failure(404, 'NotFound', 'pods "none" not found', { name: 'none', kind: 'pods' }),
  ],
  [
    `${inContract}/pods/none/log`,
    failure(404, 'NotFound', 'pods "none" not found', { name: 'none', kind: 'pods' }),
  ],
  [
    '/apis/apps/v1/namespaces/contract/deployments/none',
    failure(404, 'NotFound', 'deployments.apps "none" not found', {
      name: 'none',
      group: 'apps',
      kind: 'deployments',
    }),
  ],
  [
    '/apis/contract.example.com/v1/namespaces/contract/widgets/none',
    failure(404, 'NotFound', 'widgets.contract.example.com "none" not found', {
      name: 'none',
      group: 'contract.example.com',
      kind: 'widgets',
    }),
  ],
  ['/api/v1/gizmos', notServed],
  ['/apis/apps/v1/gizmos', notServed],
  ['/apis/apps/v7/deployments', notServed],
  ['/api/v1/pods/one', notServed],
  [`${inContract}/nodes`, notServed],
  [`${inContract}/configmaps/a/status`, notServed],
  ['/apis/nowhere.example.com/v1/gizmos', '404 page not found\n'],
  ['/apis/nowhere.example.com', '404 page not found\n'],
  ['/apis/contract.example.com/v1/gizmos', '404 page not found\n'],
  ['/apis/contract.example.com/v9/widgets', '404 page not found\n'],
  ['/nowhere', '404 page not found\n'],
];

const labelSelectors: readonly (readonly [string, string])[] = [
  ['tier=front', 'a b'],
  ['tier==front', 'a b'],
  ['tier!=front', 'c d e'],
  ['tier', 'a b'],
  ['!tier', 'c d e'],
  ['tier=', ''],
  ['weight in (1,3)', 'b d'],
  ['weight notin (1, 3)', 'a c e'],
  ['tier notin (front)', 'c d e'],
  ['weight>2', 'd e'],
  ['weight<1', 'a'],
  ['odd=true,!tier', 'c e'],
  [' odd = true , tier ', 'a'],
];

const badLabelSelectors: readonly (readonly [string, string])[] = [
  ['a b c', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a in x', "unable to parse requirement: found 'x' expected: '('"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['a=b=c', "found '=', expected: ',' or 'end of string'"],
  ['a,,b', "found ',', expected: identifier after ','"],
  ['a=x y', "found 'y', expected: ',' or 'end of string'"],
];

const fieldSelectors: readonly (readonly [string, string, string])[] = [
  ['configmaps', 'metadata.name=c', 'c'],
  ['configmaps', 'metadata.name!=c', 'a b d e'],
  ['configmaps', 'metadata.namespace=other', ''],
  ['secrets', 'type=example.com/kind', 'typed'],
  ['pods', 'spec.nodeName=somewhere', ''],
  ['pods', 'spec.nodeName=,metadata.name=one', 'one'],
  ['events', 'involvedObject.kind=Pod', 'first second'],
  ['events', 'type!=Normal', 'first third'],
  ['events', 'involvedObject.name=two,type=Warning', 'third'],
  ['services', 'spec.type=ExternalName', 'elsewhere'],
];

const badFieldSelectors: readonly (readonly [string, string])[] = [
  [`${inContract}/pods?fieldSelector=foo=1`, 'field label not supported: foo'],
  [`${inContract}/events?fieldSelector=foo=1`, 'field label not supported: foo'],
  [`${inContract}/pods?fieldSelector=foo`, "invalid selector: 'foo'; can't understand 'foo'"],
  [
    `${inContract}/configmaps?fieldSelector=type=a`,
    '"type" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  ['/apis/contract.example.com/v1/widgets?fieldSelector=foo=1', 'field label not supported: foo'],
];

const logErrors: readonly (readonly [string, string])[] = [
  ['two/log', 'a container name must be specified for pod two, choose one of: [init left right]'],
  ['two/log?container=none', 'container none is not valid for pod two'],
  ['one/log?tailLines=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
];

/** What of a stored object its writer or the API's defaults decided; not what was allocated, or what controllers add. */
function decided({ kind, metadata: { labels = {} }, ...fields }: ApiObject) {
  const { apiVersion: _apiVersion, status: _status, spec = {}, ...rest } = fields;
  const { clusterIP, clusterIPs: _clusterIPs, ...decidedSpec } = spec as Record<string, unknown>;
  return { kind, labels, ...rest, spec: { ...decidedSpec, ...(clusterIP === 'None' ? { clusterIP } : {}) } };
}

const pathOf = ({ apiVersion, kind, metadata }: ApiObject): string => {
  const resource = builtInResources.find(
    (candidate) =>
      candidate.kind === kind &&
      apiVersion === [candidate.group, candidate.version].filter(Boolean).join('/'),
  );
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${root}${scope}/${resource?.plural}/${metadata.name}`;
};

/** Reads that the demo cluster and a real kube-apiserver must answer alike: the demo may not lie. */
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
      it('say their kind once, and order by namespace and name', async () => {
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
      it('can hold metadata only', async () => {
        const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
        const found = await list(`${inContract}/configmaps?limit=1`, { accept });
        expect([found.kind, found.apiVersion]).to.deep.equal(['PartialObjectMetadataList', 'meta.k8s.io/v1']);
        expect(found.items[0]).to.include({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
        expect(found.items[0]).to.not.have.property('data');
      });
    });

    describe('pages', () => {
      it('go on where the last one ended, and say how many are left', async () => {
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
      it('do not say how many are left of a selection', async () => {
        const { metadata } = await list(`${inContract}/configmaps?limit=1&labelSelector=tier`);
        expect(metadata).to.have.property('continue');
        expect(metadata).to.not.have.property('remainingItemCount');
      });
      it('of a list that is forgotten are refused as Expired, with a token to go on', async () => {
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
      it('are refused for a token that is none, and for a limit that is none', async () => {
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
      it('say their kind', async () => {
        const { json } = await ask(`${inContract}/configmaps/a`);
        expect(json).to.include({ kind: 'ConfigMap', apiVersion: 'v1' });
      });
      for (const [path, expected] of absences) {
        it(`that are not there: ${path}`, async () => {
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
      it('Namespaces carry their name as a label', async () => {
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
        it(`that may not are refused: ${path}`, async () => {
          const { status, json } = await ask(path, { as: 'reader' });
          expect(status).to.equal(403);
          expect(json).to.deep.equal(expected);
        });
      }
      it('that may read in one namespace only can', async () => {
        expect(names(await list(`${inContract}/configmaps`, { as: 'reader' }))).to.equal('a b c d e');
        expect((await ask(`${inContract}/configmaps/a`, { as: 'reader' })).status).to.equal(200);
      });
      it('that are known to nobody are not let in', async () => {
        const { status, json } = await ask('/api/v1/pods', { as: 'impostor' });
        expect(status).to.equal(401);
        expect(json).to.deep.equal(failure(401, 'Unauthorized', 'Unauthorized'));
      });
      it('without credentials learn the version, and little else', async () => {
        expect((await ask('/version', { as: 'nobody' })).status).to.equal(200);
        const { json } = await ask('/api/v1/pods', { as: 'nobody' });
        expect(json).to.have.property(
          'message',
          'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
        );
      });
      it('can discover whatever they may do', async () => {
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
      it('an answer in HTML is not acceptable', async () => {
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
      it('sends large lists packed to those who ask', async () => {
        const packed = await ask(`${inContract}/configmaps`, { gzip: true });
        expect(packed.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
        expect((await ask(`${inContract}/configmaps`)).headers).to.not.have.property('content-encoding');
      });
      it('sends small ones as they are', async () => {
        const { headers } = await ask(`${inContract}/configmaps?limit=1`, { gzip: true });
        expect(headers).to.not.have.property('content-encoding');
      });
    });

    describe('discovery', () => {
      it('tells the version', async () => {
        const { json } = await ask('/version');
        expect(json).to.include({ major: '1', minor: '35', gitVersion: 'v1.35.4' });
      });
      it('tells all resources at once to those who ask for it', async () => {
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
      it('tells groups, then versions, then resources to those who do not', async () => {
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
      it('tells the resources of a group with their subresources', async () => {
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
      it('of an API whose Service is gone ends in 503', async () => {
        const { status, text } = await ask('/apis/metrics.contract.example.com/v1beta1');
        expect([status, text]).to.deep.equal([503, 'service unavailable\n']);
      });
      it('answers whether the server is well', async () => {
        expect((await ask('/readyz')).text).to.equal('ok');
      });
    });
  });
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: object;
    readonly verbs: readonly string[];
  }[];
}
interface DiscoveredGroup {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly freshness: string;
    readonly resources?: readonly DiscoveredResource[];
  }[];
}

/** One resource with all that discovery tells of it, as a line that can be compared. */
const linesOf = ({ metadata, versions }: DiscoveredGroup): readonly string[] =>
  versions.flatMap(({ version, resources = [] }) =>
    resources.map((found) =>
      JSON.stringify([
        ...[metadata.name ?? '', version, found.resource, found.singularResource, found.responseKind.kind],
        ...[found.scope, found.verbs, found.shortNames ?? [], found.categories ?? []],
        (found.subresources ?? []).map(({ subresource, responseKind, verbs }) => [
          subresource,
          responseKind,
          verbs,
        ]),
      ]),
    ),
  );

const lineOf = (resource: (typeof builtInResources)[number]): string =>
  JSON.stringify([
    ...[resource.group, resource.version, resource.plural, resource.singular, resource.kind],
    ...[
      resource.namespaced ? 'Namespaced' : 'Cluster',
      resource.verbs,
      resource.shortNames,
      resource.categories,
    ],
    resource.subresources.map(({ name, responds, verbs }) => [
      name,
      responds ?? { group: '', version: '', kind: resource.kind },
      verbs,
    ]),
  ]);
