import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openCluster } from '../src/collect/kube/open-cluster.ts';
import { startApiServer } from '../src/demo/api-server/server.ts';
import { clusterContent } from '../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../src/demo/scenarios/catalogue.ts';
import type { Scenario } from '../src/demo/scenarios/scenario.ts';
import type { CalloutReport, DoctorReport } from '../src/diagnose/report.ts';
import { doctor } from '../src/workflows/doctor.ts';

const now = new Date('2026-01-02T03:04:05Z');
const directory = mkdtempSync(join(tmpdir(), 'kubectl-webhook-scenarios-'));

/** What doctor says of a scenario's cluster, read over HTTPS as any other. */
async function examine(scenario: Scenario): Promise<DoctorReport> {
  const server = await startApiServer(clusterContent(scenario.parts, now));
  const kubeconfig = join(directory, scenario.slug);
  writeFileSync(kubeconfig, server.kubeconfig());
  try {
    const reader = await openCluster({ kubeconfig }, {});
    try {
      return await doctor(reader, {
        callouts: [],
        deep: scenario.deep === true,
        check: [],
        skip: [],
        severity: 'info',
        now,
      });
    } finally {
      reader.close();
    }
  } finally {
    await server.stop();
  }
}

const idOf = ({ kind, configuration, webhook }: CalloutReport): string => {
  if (kind === 'conversion') return `crd/${configuration}`;
  return kind === 'aggregated-api' ? `apiservice/${configuration}` : `${kind}/${configuration}/${webhook}`;
};

/** What the report says of the callouts that are expected to be anything but healthy, in the expectation's words. */
function verdicts({ expect: expected }: Scenario, { callouts }: DoctorReport) {
  return callouts.map((callout) => {
    const { state, link, because, effect, error } = callout.verdict;
    const wanted = expected.find((one) => one.callout === idOf(callout));
    if (wanted === undefined) return { callout: idOf(callout), state };
    const quoted = wanted.error !== undefined && error?.includes(wanted.error) ? wanted.error : error;
    return {
      callout: idOf(callout),
      state,
      ...(wanted.link === undefined ? {} : { link }),
      ...(wanted.cause === undefined ? {} : { cause: because[0] }),
      ...(wanted.effect === undefined ? {} : { effect }),
      ...(wanted.error === undefined ? {} : { error: quoted }),
    };
  });
}

/** Checks whose findings a reader meets at or above warning, but for those that only follow from another. */
const loud = ({ findings }: DoctorReport): readonly string[] =>
  findings
    .filter(({ severity, causedBy }) => severity !== 'info' && causedBy === undefined)
    .map(({ check }) => check);

describe('scenarios', () => {
  after(() => rmSync(directory, { recursive: true }));

  for (const scenario of scenarios) {
    it(`${scenario.slug}: ${scenario.story[0]}`, async () => {
      const report = await examine(scenario);
      const found = verdicts(scenario, report);
      expect(found).to.have.deep.members(
        found.map(
          ({ callout }) =>
            scenario.expect.find((one) => one.callout === callout) ?? { callout, state: 'healthy' },
        ),
      );
      const callouts = found.map(({ callout }) => callout);
      expect(callouts).to.include.members(scenario.expect.map(({ callout }) => callout));
      const causes = scenario.expect.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));
      expect([...new Set(loud(report))].sort()).to.deep.equal(
        [...new Set([...causes, ...(scenario.also ?? [])])].sort(),
      );
      expect(report.notLookedAt).to.deep.equal([]);
    });
  }
});
