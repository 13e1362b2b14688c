import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandTable } from '../../src/cli/command-table.ts';
import type { Access, Collector, ReadOptions } from '../../src/collect/collector.ts';
import { collectors } from '../../src/collect/collectors/catalogue.ts';
import type { Observe } from '../../src/collect/kube/http/observation.ts';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { slots } from '../../src/collect/slots.ts';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { Permission, Resource, Verb } from '../../src/facts/resource.ts';
import { certCheck } from '../../src/workflows/cert-check.ts';
import { doctor } from '../../src/workflows/doctor.ts';
import { commandPermissions } from '../../src/workflows/rbac/command-permissions.ts';
import { clusterDryRunPermissions, rolesFor } from '../../src/workflows/rbac/rbac.ts';
import { collectAll } from '../support/collect-all.ts';
import { type Failures, recordedReader } from '../support/recorded-reader.ts';
import { permissionText, requestedPermission } from '../support/requested-permission.ts';
import { namespace, pod, service, slice, webhook } from '../support/snapshot.ts';

/** Together these scenarios make doctor send every read of the demo cluster. */
const telling = [
  'leader-gated-cache',
  'stale-ca-bundle',
  'crash-loop',
  'node-not-ready',
  'endpoint-of-no-pod',
  'serving-secret-missing',
  'certificate-not-issued',
  'own-pods-blocked',
  'conversion-backend-gone',
  'available-apiservice',
  'served-certificate-differs-from-config-map',
];

/**
 * Declared, but not visible in the demo: further verbs of the same request, and kinds that no scenario has.
 */
const unseen: Readonly<Record<string, readonly string[]>> = {
  doctor: [
    'create pods/portforward',
    'get clusterissuers.cert-manager.io',
    'get customresourcedefinitions.apiextensions.k8s.io',
    'get daemonsets.apps',
    'get deployments.apps',
    'get jobs.batch',
    'get namespaces',
    'get persistentvolumeclaims',
    'get statefulsets.apps',
    'list ciliumclusterwidenetworkpolicies.cilium.io',
    'list ciliumnetworkpolicies.cilium.io',
    'list globalnetworkpolicies.crd.projectcalico.org',
    'list networkpolicies.crd.projectcalico.org',
    'list nodes',
  ],
  'cert-check': [
    'create pods/portforward',
    'get clusterissuers.cert-manager.io',
    'list leases.coordination.k8s.io',
  ],
};

/** Required, but not visible in the demo. */
const unlooked: Readonly<Record<string, readonly string[]>> = {
  disruptionBudgets: ['startingPods'],
  namespacePods: ['metrics', 'workloads'],
  podControllers: ['startingPods'],
  samples: ['callouts'],
  secrets: ['certificates'],
  workloads: ['served'],
};

const slices = '/apis/discovery.k8s.io/v1/endpointslices';
const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-rights-'));
const now = new Date();

const texts = (permissions: readonly Permission[]): readonly string[] =>
  permissions.flatMap(({ group, resource, verbs }) =>
    verbs.map((verb) => permissionText({ group, resource, verb })),
  );

/** The facts that collectors read and the resources that they requested, by fact. */
const looked = new Map<string, Set<string>>();
const asks = new Map<string, Set<string>>();
const into = (seen: Map<string, Set<string>>, { fact }: Collector): Set<string> => {
  const known = seen.get(fact) ?? new Set();
  seen.set(fact, known);
  return known;
};

/** Records the lookups of its keys. */
const recorded = <T extends object>(value: T, seen: (name: string) => void): T =>
  new Proxy(value, {
    get(target, name) {
      if (typeof name === 'string') seen(name);
      return Reflect.get(target, name);
    },
  });

/** The same access to the cluster, with its requests recorded. */
const recordedAccess = (access: Access, collector: Collector): Access => {
  const asked = (verb: Verb, { group, plural }: Resource) =>
    into(asks, collector).add(permissionText({ group, resource: plural, verb }));
  return {
    ...access,
    list: (resource, where) => {
      asked('list', resource);
      return access.list(resource, where);
    },
    get: (resource, name, where) => {
      asked('get', resource);
      return access.get(resource, name, where);
    },
    text: (resource, name, where) => {
      asked('get', resource);
      return access.text(resource, name, where);
    },
  };
};

/** Records every collector of the catalogue; returns the function that ends this. */
function watchCollectors(): () => void {
  const before = collectors.map((collector) => ({ ...collector }));
  for (const collector of collectors as readonly (Collector & Record<string, unknown>)[]) {
    const { wants, read, readAll } = collector;
    const facts = into(looked, collector);
    const see = (name: string) => facts.add(name);
    // Cached lookups of several collectors are repeated for other options.
    if (wants) collector.wants = (all, readOptions) => wants(recorded(all, see), { ...readOptions });
    if (read)
      collector.read = (access, keys, all, readOptions) =>
        read(recordedAccess(access, collector), keys, recorded(all, see), { ...readOptions });
    if (readAll)
      collector.readAll = (access, known) =>
        readAll(recordedAccess(access, collector), (names) => {
          for (const name of names) see(name);
          return known(names);
        });
  }
  return () => {
    for (const [at, collector] of collectors.entries()) Object.assign(collector, before[at]);
  };
}

/** The requests of two commands to a demo cluster, and the permissions for its dry runs. */
async function requestsOf(slug: string) {
  const scenario = scenarios.find((one) => one.slug === slug);
  if (scenario === undefined) throw new Error(`no scenario ${slug}`);
  const server = await startApiServer(clusterContent(scenario.parts, now));
  const kubeconfig = join(directory, slug);
  writeFileSync(kubeconfig, server.kubeconfig());
  const asked = { doctor: new Set<string>(), 'cert-check': new Set<string>() };
  let permissionsOf = asked.doctor;
  const observe: Observe = ({ method, path }) => {
    const permission = requestedPermission(method, path);
    if (permission !== undefined) permissionsOf.add(permissionText(permission));
  };
  const { reader, prober } = await openConnection({ kubeconfig }, {}, undefined, { observe });
  try {
    const question = { deep: true, now };
    // Unless webhooks are named, more is read only of backends that look broken.
    if (slug === 'stale-ca-bundle')
      await doctor(reader, { ...question, deep: false, probe: { level: 'review', prober } });
    await doctor(reader, { ...question, probe: { level: 'review', prober } });
    permissionsOf = asked['cert-check'];
    await certCheck(reader, { callouts: [], now, prober });
    const dryRuns = await clusterDryRunPermissions({ flags: { kubeconfig }, milliseconds: 10_000 });
    return { asked, dryRuns };
  } finally {
    reader.close();
    await server.stop();
  }
}

const question = { remedies: [], restorer: false } as const;

describe('the declared permissions', () => {
  let unwatch: () => void;
  before(async () => {
    unwatch = watchCollectors();
    // A backend without Pods that is not named.
    await collectAll(
      recordedReader({
        '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': [
          { metadata: { name: 'policy' }, webhooks: [{ name: 'policy', clientConfig: webhook().client }] },
        ],
        '/api/v1/services': [service()],
        '/api/v1/namespaces': [namespace()],
      }),
    );
    // One that looks healthy, and is not named.
    await collectAll(
      recordedReader({
        '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': [
          { metadata: { name: 'policy' }, webhooks: [{ name: 'policy', clientConfig: webhook().client }] },
        ],
        '/api/v1/services': [service()],
        '/api/v1/namespaces': [namespace()],
        [slices]: [slice()],
      }),
    );
    // An injector, whose Pods are not named.
    await collectAll(
      recordedReader({
        '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': [
          {
            metadata: { name: 'linkerd' },
            webhooks: [{ name: 'linkerd-proxy-injector.linkerd.io', clientConfig: webhook().client }],
          },
        ],
        '/api/v1/namespaces': [namespace()],
        '/api/v1/pods': [pod()],
      }),
    );
    // If lists over all namespaces are forbidden, webhooks name the namespaces.
    const refused = {
      '/api/v1/services': 'forbidden',
      '/api/v1/namespaces': 'forbidden',
      [slices]: 'forbidden',
    };
    await collectAll(recordedReader({}, refused as Failures));
  });
  after(() => unwatch());

  it('are exactly the requests of doctor and cert-check', async () => {
    const seen = { doctor: new Set<string>(), 'cert-check': new Set<string>() };
    // Several at the same time: most of it is waiting for responses that do not come.
    const slot = slots(4, 1000);
    const all = await Promise.all(
      telling.map((slug) => slot(async () => ({ slug, ...(await requestsOf(slug)) }))),
    );
    for (const { slug, asked, dryRuns } of all) {
      for (const name of ['doctor', 'cert-check'] as const) {
        const declared = texts(commandPermissions[name]?.({ ...question, probe: 'review', dryRuns }) ?? []);
        expect(
          [...asked[name]].filter((permission) => !declared.includes(permission)),
          `${name} of ${slug} asks for what it does not declare`,
        ).to.deep.equal([]);
        for (const permission of asked[name]) seen[name].add(permission);
      }
    }
    for (const name of ['doctor', 'cert-check'] as const) {
      const declared = texts(
        commandPermissions[name]?.({ ...question, probe: 'connect', dryRuns: [] }) ?? [],
      );
      const left = [...new Set(declared)].filter((permission) => !seen[name].has(permission));
      expect(
        left.toSorted(),
        `${name} declares what no scenario makes it ask for: a use, or a line in "unseen"`,
      ).to.deep.equal(unseen[name]);
    }
  }).timeout(180_000);

  it('of each collector include its requests, and its needs are the facts that it reads by', () => {
    const readOptions: ReadOptions = { chosen: [], topics: [], examineAll: true, metrics: {} };
    const left: Record<string, readonly string[]> = {};
    for (const collector of collectors) {
      const { fact, needs, grows = [], permissions } = collector;
      const declared = texts(typeof permissions === 'function' ? permissions(readOptions) : permissions);
      expect(
        [...into(asks, collector)].filter((permission) => !declared.includes(permission)),
        fact,
      ).to.deep.equal([]);
      const facts = new Set<string>(['takenAt', ...needs, ...grows]);
      expect(
        [...into(looked, collector)].filter((name) => !facts.has(name)),
        fact,
      ).to.deep.equal([]);
      const unseen = [...needs, ...grows].filter((name) => !into(looked, collector).has(name));
      if (unseen.length > 0) left[fact] = unseen;
    }
    expect(left, 'facts that a collector needs, and never looks at').to.deep.equal(unlooked);
  });

  it('are there for every command that connects to a cluster', async () => {
    const talking: string[] = [];
    for (const { name, load } of commandTable) {
      const { default: command } = await load();
      if ('kubeconfig' in (command.flags ?? {}) && name !== 'rbac') talking.push(name);
    }
    expect(talking.filter((name) => commandPermissions[name] === undefined)).to.deep.equal([]);
  });

  it('include no write for commands that change nothing', () => {
    for (const name of ['doctor', 'cert-check', 'changes', 'completion']) {
      const permissions = commandPermissions[name]?.({ ...question, probe: 'none', dryRuns: [] }) ?? [];
      const writing = permissions.filter(({ verbs }) =>
        verbs.some((verb) => !['get', 'list'].includes(verb)),
      );
      expect(writing, name).to.deep.equal([]);
    }
  });

  it('never include a list of Secrets', () => {
    for (const [name, permissionsOf] of Object.entries(commandPermissions)) {
      const permissions = permissionsOf({ ...question, probe: 'connect', dryRuns: [] });
      const secrets = permissions.filter(({ resource }) => resource === 'secrets');
      expect(
        secrets.every(({ verbs }) => verbs.every((verb) => verb === 'get')),
        name,
      ).to.equal(true);
    }
  });

  it('include Secrets only in the named namespaces', () => {
    for (const [name, permissionsOf] of Object.entries(commandPermissions)) {
      const permissions = permissionsOf({ ...question, probe: 'connect', dryRuns: [] });
      const [wide] = rolesFor('r', permissions, ['shop'], []);
      expect(wide?.rules?.flatMap(({ resources = [] }) => resources) ?? [], name).to.not.include('secrets');
    }
  });
});
