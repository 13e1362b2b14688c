import { expect } from 'chai';
import type { ChangeReport } from '../../../src/change/change-report.ts';
import { counted } from '../../../src/phrases/lists.ts';
import type { SoakReport } from '../../../src/soak/soak-report.ts';
import { deployBackend, validatingWebhook } from '../../cluster/backend-pods.ts';
import { waitFor } from '../../cluster/wait.ts';
import { type Case, named, only, type Stage } from './case.ts';
import { rolledOut } from './pods.ts';

const namespace = 'policy-system';

/** Number of soaks before and after, of a minute each. RUNS=3 for the page. */
const runs = Number(process.env.RUNS ?? 0);

/** Rollouts under load, one after the other; a fixed command makes all soaks equally long. */
async function repeated(stage: Stage, rollout: string): Promise<readonly SoakReport['totals'][]> {
  const home = stage.home(namespace);
  const totals: SoakReport['totals'][] = [];
  for (let run = 0; run < runs; run += 1) {
    const { output } = await stage.look(
      `kubectl webhook soak ${home} -f denied.yaml --rate 20 --for 45s --during "${rollout} >/dev/null; sleep 120" -o json 2>/dev/null`,
    );
    totals.push((JSON.parse(output.slice(output.indexOf('{'))) as SoakReport).totals);
    await rolledOut(stage, namespace, 'policy');
  }
  return totals;
}

const row = (name: string, totals: readonly SoakReport['totals'][]): string =>
  `| ${name} | ${totals.map(({ requests, unchecked }) => `${unchecked} of ${requests}`).join(' | ')} |`;

export const uncheckedDuringRollout: Case = {
  name: 'unchecked-during-rollout',
  title: 'Three replicas, failing open: unchecked during every rollout',
  namespaces: [namespace],

  async play(stage) {
    const { ca, scene, tell, type } = stage;
    const home = stage.home(namespace);
    await deployBackend(stage.inside(namespace), {
      name: 'policy',
      ca,
      replicas: 3,
      // The metrics server starts at once, the webhook server only when the caches are filled.
      args: [
        '--answer',
        'deny',
        '--message',
        'no owner label',
        '--readiness-port',
        '8081',
        '--listen-after',
        '3s',
        // Every call opens a new connection.
        '--idle-timeout',
        '0s',
      ],
      container: { readinessProbe: { httpGet: { port: 8081, path: '/readyz' }, periodSeconds: 1 } },
      podSpec: { terminationGracePeriodSeconds: 15 },
    });
    // Declared by a chart: the change would be printed for its owner instead.
    await scene.client.patch(named('apps/v1', 'Deployment', home, 'policy'), {
      metadata: {
        annotations: { 'meta.helm.sh/release-name': 'policy', 'meta.helm.sh/release-namespace': home },
      },
    });
    const made = validatingWebhook(home, {
      service: 'policy',
      caBundle: ca.cert,
      webhook: { failurePolicy: 'Ignore', timeoutSeconds: 5, namespaceSelector: only(home) },
    });
    await scene.create({ ...made, metadata: { name: home } });
    const file = 'denied.yaml';
    const rollout = `kubectl -n ${home} rollout restart deployment policy && kubectl -n ${home} rollout status deployment policy --timeout=120s`;

    tell(`A policy engine has three replicas, and its webhook fails open. A rollout replaces one replica after the other, and
each is Ready before the next one stops, so it seems to have no effect on requests. \`soak\` measures how many requests it
leaves unchecked: it repeatedly sends an object that the policy denies, as a dry run.`);
    stage.file(
      file,
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: without-owner\n  namespace: ${home}\n`,
    );
    await waitFor('the webhook to deny', async () => {
      const denied = await stage
        .inside(namespace)
        .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x-' } }, { dryRun: true })
        .then(
          () => false,
          ({ message }: Error) => message.includes('no owner label'),
        );
      return denied;
    });
    const soak = (more: string) =>
      type(`kubectl webhook soak ${home} -f ${file} --rate 30 --for 3m --during "${rollout}" ${more}`);
    await soak('-o json > before.json');
    const before = JSON.parse((await stage.look('cat before.json')).output) as SoakReport;
    expect(before.during?.exitCode).to.equal(0);
    expect(before.totals.unchecked, JSON.stringify(before.totals)).to.be.greaterThan(0);
    await rolledOut(stage, namespace, 'policy');
    const soaksBefore = await repeated(stage, rollout);

    tell('`doctor` reports the reasons before any rollout:');
    const found = await type(`kubectl webhook doctor ${home}`);
    expect(found.output)
      .to.match(/readiness-does-not-cover-webhook/)
      .and.match(/no-drain-before-stop/);

    tell(`Two patches fix it: a readiness probe of the webhook port, so that no call reaches a replica that does not listen yet;
and a preStop hook that keeps the old replica serving until it receives no more calls. A chart manages the Deployment, so the
patches are printed and not applied.`);
    for (const remedy of ['add-readiness-probe', 'add-pre-stop']) {
      const printed = await type(`kubectl webhook fix ${home} --remedy ${remedy} --yes`);
      expect(printed.output, remedy).to.include('kind: Deployment');
      const { output } = await stage.look(`kubectl webhook fix ${home} --remedy ${remedy} --yes -o json`);
      const [change] = (JSON.parse(output.slice(output.indexOf('{'))) as ChangeReport).changes;
      if (change?.print === undefined) throw new Error(`nothing was printed: ${output}`);
      stage.write(`${remedy}.yaml`, change.print);
      const patched = await type(`kubectl -n ${home} patch deployment policy --patch-file ${remedy}.yaml`);
      expect(patched.code, patched.output).to.equal(0);
    }
    await rolledOut(stage, namespace, 'policy');
    tell('The same rollout, before the patches and with them:');
    const { output } = await soak('--compare before.json');
    const [, once, now] = /admitted unchecked\s+(\d+) \(.*?\)\s+(\d+) \(/.exec(output) ?? [];
    expect(Number(once), output).to.equal(before.totals.unchecked);
    console.log(`      unchecked: ${once} before, ${now} after`);
    // Hundreds reached replicas that did not listen. On a busy machine a call may still time out.
    expect(Number(now), output).to.be.lessThan(before.totals.unchecked / 10);
    if (runs === 0) return;
    const soaksAfter = await repeated(stage, rollout);
    const head = [...soaksBefore.keys()].map((run) => `rollout ${run + 1}`);
    tell(`${counted(runs, 'more rollout')} of each:`);
    tell(
      [
        `| admitted unchecked | ${head.join(' | ')} |`,
        `|---|${head.map(() => '---|').join('')}`,
        row('before the patches', soaksBefore),
        row('with them', soaksAfter),
      ].join('\n'),
    );
  },
};
