/** A Status of a failure, without the parts that differ between runs. */
export const failure = (code: number, reason: string, message: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details === undefined ? {} : { details }),
  code,
});
export const badRequest = (message: string) => failure(400, 'BadRequest', message);
const notServed = failure(404, 'NotFound', 'the server could not find the requested resource', {});
export const notAllowed = failure(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
);
/** The namespace of the suite. */
export const inContract = '/api/v1/namespaces/contract';
/** The media type of aggregated discovery. */
export const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The errors that `reader` gets. */
export const refusals: readonly (readonly [string, object])[] = [
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

/** Paths that do not exist: a Status, or the text of the last handler. */
export const absences: readonly (readonly [string, object | string])[] = [
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

/** A selector, and the names of the ConfigMaps that it selects. */
export const labelSelectors: readonly (readonly [string, string])[] = [
  ['tier=front', 'a b'],
  ['tier==front', 'a b'],
  ['tier!=front', 'c d e'],
  ['tier', 'a b'],
  ['!tier', 'c d e'],
  ['tier=', ''],
  ['weight in (1,3)', 'b d'],
  ['weight notin (1, 3)', 'a c e'],
  ['tier notin (front)', 'c d e'],
  ['tier in (,front),odd in (true,none)', 'a'],
  ['tier in (front,)', 'a b'],
  ['weight>2', 'd e'],
  ['weight<1', 'a'],
  ['odd=true,!tier', 'c e'],
  [' odd = true , tier ', 'a'],
];

export const badLabelSelectors: readonly (readonly [string, string])[] = [
  ['a b c', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a in x', "unable to parse requirement: found 'x' expected: '('"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['a=b=c', "found '=', expected: ',' or 'end of string'"],
  ['a,,b', "found ',', expected: identifier after ','"],
  ['a=x y', "found 'y', expected: ',' or 'end of string'"],
];

/** Resource, selector, names. */
export const fieldSelectors: readonly (readonly [string, string, string])[] = [
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

export const badFieldSelectors: readonly (readonly [string, string])[] = [
  [`${inContract}/pods?fieldSelector=foo=1`, 'field label not supported: foo'],
  [`${inContract}/events?fieldSelector=foo=1`, 'field label not supported: foo'],
  [`${inContract}/pods?fieldSelector=foo`, "invalid selector: 'foo'; can't understand 'foo'"],
  [
    `${inContract}/configmaps?fieldSelector=type=a`,
    '"type" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  ['/apis/contract.example.com/v1/widgets?fieldSelector=foo=1', 'field label not supported: foo'],
];

export const logErrors: readonly (readonly [string, string])[] = [
  ['two/log', 'a container name must be specified for pod two, choose one of: [init left right]'],
  ['two/log?container=none', 'container none is not valid for pod two'],
  ['one/log?tailLines=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
];
