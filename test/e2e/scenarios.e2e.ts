import { expect } from 'chai';
import { openCluster } from '../../src/collect/kube/open-cluster.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { beginning, type Scenario } from '../../src/demo/scenarios/scenario.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { doctor } from '../../src/workflows/doctor.ts';
import type { KubeObject } from '../cluster/client.ts';
import { needs, nodeCluster, type TestCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { expectationOf } from '../scenarios/expectations.ts';
import { expectedVerdicts, idOf, verdicts } from '../scenarios/verdicts.ts';
import { authority } from '../support/certificates.ts';
import { realObjects, runsOnOneNode } from './real-scenario.ts';

const chosen = scenarios.filter(runsOnOneNode);
const isConfiguration = ({ kind }: KubeObject): boolean => kind.endsWith('WebhookConfiguration');
/** Their webhook must exist before their Pods are created. */
const webhooksFirst = (slug: string): boolean => slug === 'own-pods-blocked';

async function examine(cluster: TestCluster): Promise<DoctorReport> {
  const reader = await openCluster({ kubeconfig: cluster.kubeconfig }, {});
  try {
    return await doctor(reader, { now: new Date() });
  } finally {
    reader.close();
  }
}

/** The part of a report that is about one scenario. */
function about(objects: readonly KubeObject[], { callouts }: DoctorReport): Pick<DoctorReport, 'callouts'> {
  const configurations = new Set(objects.map(({ metadata }) => metadata.name));
  return { callouts: callouts.filter(({ configuration }) => configurations.has(configuration)) };
}

const agrees = (scenario: Scenario, report: Pick<DoctorReport, 'callouts'>): boolean =>
  JSON.stringify(verdicts(scenario, report)) ===
  JSON.stringify(expectedVerdicts(scenario, report).map(sorted));

/** In the order of the expected verdicts. */
const sorted = ({ callout, state, link, cause, effect, error }: ReturnType<typeof verdicts>[number]) => ({
  ...{ callout, state },
  ...(link === undefined ? {} : { link }),
  ...(cause === undefined ? {} : { cause }),
  ...(effect === undefined ? {} : { effect }),
  ...(error === undefined ? {} : { error }),
});

/** True if its first webhook fails closed and matches ConfigMaps: a dry run of one shows the error. */
function isProvedByConfigMap(scenario: Scenario): boolean {
  const { parts } = scenario;
  const [first] = expectationOf(scenario).expect;
  if (first?.error === undefined || first.effect !== 'blocks') return false;
  return parts.some((part) => 'webhooks' in part && JSON.stringify(part.webhooks).includes('"configmaps"'));
}

describe('scenarios, made by real controllers and a real kubelet', function () {
  this.timeout(400_000);
  needs('node');

  const objects = new Map<string, readonly KubeObject[]>();
  let cluster: TestCluster;
  let report: DoctorReport;

  before(async () => {
    cluster = await nodeCluster();
    const { client } = cluster;
    const ca = await authority({ cn: 'scenarios' });
    for (const scenario of chosen) objects.set(scenario.slug, await realObjects(scenario, ca));
    const all = [...objects].flatMap(([slug, made]) => made.map((object) => ({ slug, object })));
    const make = async (wanted: (one: (typeof all)[number]) => boolean) => {
      for (const { object } of all.filter(wanted)) await client.create(object);
    };
    const isNamespace = ({ object }: (typeof all)[number]) => object.kind === 'Namespace';
    await make(isNamespace);
    // Every Pod mounts it; a webhook for ConfigMaps would block its creation.
    for (const { object } of all.filter(isNamespace))
      await waitFor(`the root CA in ${object.metadata.name}`, () =>
        client.get({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'kube-root-ca.crt', namespace: object.metadata.name ?? '' },
        }),
      );
    await make((one) => !isNamespace(one) && isConfiguration(one.object) && webhooksFirst(one.slug));
    await make((one) => !isNamespace(one) && !isConfiguration(one.object));
    await make((one) => isConfiguration(one.object) && !webhooksFirst(one.slug));
    // Waits until everything has its final state.
    await waitFor(
      'all scenarios',
      async () => {
        report = await examine(cluster);
        return chosen.every((scenario) => agrees(scenario, about(objects.get(scenario.slug) ?? [], report)));
      },
      { timeout: 300_000, interval: 4000 },
    ).catch(() => undefined);
  });

  after(async function () {
    this.timeout(60_000);
    const made = [...objects.values()].flat();
    const last = (object: KubeObject): number =>
      isConfiguration(object) ? 0 : object.kind === 'Namespace' ? 2 : 1;
    const clusterWide = made.filter(({ metadata }) => metadata.namespace === undefined);
    for (const object of clusterWide.toSorted((a, b) => last(a) - last(b)))
      await waitFor(`deletion of ${object.kind} ${object.metadata.name}`, () =>
        cluster.client.delete(object).then(() => true),
      );
  });

  for (const scenario of chosen) {
    it(`${scenario.slug}: ${beginning(scenario)}`, () => {
      const mine = about(objects.get(scenario.slug) ?? [], report);
      const reasons = JSON.stringify(mine.callouts.map(({ verdict, replicas }) => ({ verdict, replicas })));
      expect(verdicts(scenario, mine), reasons).to.deep.equal(expectedVerdicts(scenario, mine));
      expect(mine.callouts.map(idOf)).to.include.members(
        expectationOf(scenario).expect.map(({ callout }) => callout),
      );
    });
  }

  for (const scenario of chosen.filter(isProvedByConfigMap)) {
    it(`${scenario.slug}: the API server returns the predicted error`, async () => {
      const made = objects.get(scenario.slug) ?? [];
      const [callout] = about(made, report).callouts;
      const namespace = made.find(({ kind }) => kind === 'Namespace')?.metadata.name ?? '';
      const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
      const attempt = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'attempt' } };
      const said = JSON.parse((await cluster.client.request('POST', path, attempt)).body) as {
        message?: string;
      };
      expect(said.message).to.equal(`Internal error occurred: ${callout?.verdict.error}`);
    });
  }
});
