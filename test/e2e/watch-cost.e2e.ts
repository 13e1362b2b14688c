import { expect } from 'chai';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { shownScenarios } from '../../src/demo/scenarios/catalogue.ts';
import { type WatchCost, watchCost } from '../bench/watch-cost.ts';
import { fileWith } from '../support/plugin.ts';

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

describe('doctor --watch on an idle cluster', function () {
  this.timeout(400_000);
  for (const probe of ['review', 'none']) {
    describe(`with --probe ${probe}`, () => {
      let cost: WatchCost;
      before(async () => {
        const parts = shownScenarios.flatMap((scenario) => scenario.parts);
        const server = await startApiServer(clusterContent(parts, new Date()));
        try {
          const flags = ['-w', '-v', '6', '--probe', probe, '--kubeconfig', fileWith(server.kubeconfig())];
          cost = await watchCost([program, 'doctor', ...flags], process.env);
        } finally {
          await server.stop();
        }
      });
      for (const what of ['requests', 'bytes', 'processor'] as const) {
        it(`takes at most a tenth of the first look's ${what} in five seconds`, () => {
          expect(cost.full[what], JSON.stringify(cost)).to.be.greaterThan(20);
          expect(cost.each[what], JSON.stringify(cost)).to.be.at.most(cost.full[what] / 10);
        });
      }
    });
  }
});
